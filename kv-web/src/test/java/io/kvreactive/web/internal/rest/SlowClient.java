package io.kvreactive.web.internal.rest;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** A client on a bare connection that reads only on demand. */
public final class SlowClient implements AutoCloseable {
  private final Socket socket = new Socket();

  public SlowClient(URI server) throws IOException {
    socket.setReceiveBufferSize(16 << 10); // so that little is buffered
    socket.setSoTimeout(60_000);
    socket.connect(new InetSocketAddress(server.getHost(), server.getPort()));
  }

  public SlowClient send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.UTF_8));
  }

  public SlowClient send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return this;
  }

  public SlowClient get(String path, String accept) throws IOException {
    return send(
        "GET /api/v1%s HTTP/1.1\r\nHost: x\r\nAccept: %s\r\nConnection: close\r\n\r\n"
            .formatted(path, accept));
  }

  public InputStream in() throws IOException {
    return socket.getInputStream();
  }

  /** Returns all bytes until the server closes the connection. */
  public String rest() throws IOException {
    return new String(in().readAllBytes(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
