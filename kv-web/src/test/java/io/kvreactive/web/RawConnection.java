package io.kvreactive.web;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/** A raw connection for well-formed and malformed requests. */
public final class RawConnection implements AutoCloseable {
  private static final int PAUSE_MILLIS = 20;

  private final Socket socket;

  public RawConnection(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout((int) TestServer.TIMEOUT.toMillis());
    socket.setTcpNoDelay(true);
  }

  public RawConnection(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout((int) TestServer.TIMEOUT.toMillis());
  }

  /** Sends lines, each terminated by CRLF. */
  public RawConnection send(String... lines) throws IOException {
    return bytes((String.join("\r\n", lines) + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
  }

  public RawConnection bytes(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return this;
  }

  /** Returns all bytes until the server ends the connection, orderly or not. */
  public String readToEnd() throws IOException {
    StringBuilder all = new StringBuilder();
    byte[] piece = new byte[8192];
    try {
      InputStream in = socket.getInputStream();
      for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
        all.append(new String(piece, 0, read, StandardCharsets.ISO_8859_1));
      }
    } catch (SocketTimeoutException e) {
      throw new AssertionError("the server does not end the connection", e);
    } catch (SocketException reset) {
      return all.toString(); // the bytes before the failure
    }
    return all.toString();
  }

  /** Returns the headers of the next response. */
  public String readHead() throws IOException {
    StringBuilder head = new StringBuilder();
    InputStream in = socket.getInputStream();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        break;
      }
      head.append((char) next);
    }
    return head.toString();
  }

  /** Reads the given number of bytes. */
  public byte[] readBytes(int count) throws IOException {
    return socket.getInputStream().readNBytes(count);
  }

  /** Sends the lines and then single bytes until the server closes the connection. */
  public void drip(String... lines) throws InterruptedException {
    long end = System.nanoTime() + TestServer.TIMEOUT.toNanos();
    try {
      send(lines);
      while (System.nanoTime() < end) {
        bytes(new byte[] {'a'});
        synchronized (this) {
          wait(PAUSE_MILLIS);
        }
      }
    } catch (IOException closed) {
      return;
    }
    throw new AssertionError("the server lets itself be dripped on for ever");
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
