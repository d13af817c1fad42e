package io.kvreactive.web.internal.stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A WebSocket client that reads only on demand, through a small window. */
public final class RawPeer implements AutoCloseable {
  private static final int TEXT = 1;
  private static final int CLOSE = 8;
  private static final int PING = 9;

  private final Socket socket = new Socket();
  private final DataInputStream in;
  private int closeCode;

  /** Connects without a token. */
  public RawPeer(int port) throws IOException {
    this(port, null);
  }

  public RawPeer(int port, @Nullable String token) throws IOException {
    socket.setReceiveBufferSize(4 << 10);
    socket.setSoTimeout((int) StreamServer.TIMEOUT.toMillis());
    socket.connect(new InetSocketAddress("127.0.0.1", port));
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 4 << 10));
    write(
        ("GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
                + "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                + "Sec-WebSocket-Version: 13\r\n"
                + (token == null ? "" : "Authorization: Bearer " + token + "\r\n")
                + "\r\n")
            .getBytes(StandardCharsets.US_ASCII));
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      head.append((char) in.readUnsignedByte());
    }
    if (!head.toString().startsWith("HTTP/1.1 101")) {
      throw new IOException(head.toString());
    }
  }

  private void write(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
  }

  /** Sends JSON with single quotes for double ones. */
  public RawPeer say(String json) throws IOException {
    send(TEXT, json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    return this;
  }

  /** Sends arbitrary bytes as a text message. */
  public RawPeer say(byte[] utf8) throws IOException {
    send(TEXT, utf8);
    return this;
  }

  void ping() throws IOException {
    send(PING, new byte[100]);
  }

  private void send(int opcode, byte[] data) throws IOException {
    int extended = data.length < 126 ? 0 : 2;
    byte[] frame = new byte[6 + extended + data.length]; // masked by zeros
    frame[0] = (byte) (0x80 | opcode);
    frame[1] = (byte) (0x80 | (extended == 0 ? data.length : 126));
    if (extended != 0) {
      frame[2] = (byte) (data.length >>> 8);
      frame[3] = (byte) data.length;
    }
    System.arraycopy(data, 0, frame, 6 + extended, data.length);
    write(frame);
  }

  /** Returns the next message; null if the connection has ended. */
  @Nullable JsonNode next() throws IOException {
    StringBuilder text = new StringBuilder();
    while (true) {
      int head = in.read();
      if (head < 0) {
        return null;
      }
      int size = in.readUnsignedByte();
      long length = size == 127 ? in.readLong() : size == 126 ? in.readUnsignedShort() : size;
      byte[] data = in.readNBytes((int) length);
      int opcode = head & 0xF;
      if (opcode == CLOSE) {
        closeCode = (data[0] & 0xFF) << 8 | data[1] & 0xFF;
        return null;
      }
      if (opcode <= TEXT) {
        text.append(new String(data, StandardCharsets.UTF_8));
        if ((head & 0x80) != 0) {
          return new ObjectMapper().readTree(text.toString());
        }
      }
    }
  }

  int closeCode() {
    return closeCode;
  }

  void shutDown() throws IOException {
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
