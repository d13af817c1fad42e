package io.kvreactive.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Sockets with requests or TLS handshakes that never end. */
public final class HalfOpenSockets implements AutoCloseable {
  private static final int CONNECT_MILLIS = 5_000;

  private final List<Socket> sockets = new ArrayList<>();

  private HalfOpenSockets() {}

  /**
   * Opens sockets to a server on this machine.
   *
   * @param count the number of sockets to try
   * @param begun the bytes to send on each
   */
  public static HalfOpenSockets open(int port, int count, String begun) {
    HalfOpenSockets opened = new HalfOpenSockets();
    for (int i = 0; i < count; i++) {
      Socket socket = new Socket();
      opened.sockets.add(socket);
      try {
        socket.connect(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
        socket.getOutputStream().write(begun.getBytes(StandardCharsets.ISO_8859_1));
      } catch (IOException refused) {
        close(socket);
      }
    }
    return opened;
  }

  /** Returns the number of sockets that the server has not ended. */
  public int alive() {
    return (int) sockets.stream().filter(HalfOpenSockets::isAlive).count();
  }

  private static boolean isAlive(Socket socket) {
    if (socket.isClosed()) {
      return false;
    }
    try {
      socket.setSoTimeout(1);
      int read = socket.getInputStream().read();
      if (read < 0) {
        close(socket);
      }
      return read >= 0;
    } catch (SocketTimeoutException open) {
      return true;
    } catch (IOException ended) {
      close(socket);
      return false;
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    sockets.forEach(HalfOpenSockets::close);
  }
}
