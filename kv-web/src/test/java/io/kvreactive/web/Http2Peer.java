package io.kvreactive.web;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * An HTTP/2 client that sends given frames, well-formed or not. It does not acknowledge settings or
 * open windows automatically. Header fields are sent as literals.
 */
public final class Http2Peer implements AutoCloseable {
  public static final int DATA = 0;
  public static final int HEADERS = 1;
  public static final int RST_STREAM = 3;
  public static final int SETTINGS = 4;
  public static final int PING = 6;
  public static final int GOAWAY = 7;
  public static final int WINDOW_UPDATE = 8;
  public static final int CONTINUATION = 9;

  public static final int HEADER_TABLE_SIZE = 1;
  public static final int INITIAL_WINDOW_SIZE = 4;

  public static final int END_STREAM = 1; // also ACK
  public static final int END_HEADERS = 4;
  public static final int PRIORITY = 32;

  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  private static final int MAX_FRAME = 16_384;

  /** A frame of the server. */
  public record Frame(int type, int flags, int stream, byte[] payload) {
    public boolean endsStream() {
      return (type == DATA || type == HEADERS) && (flags & END_STREAM) != 0;
    }

    /** Returns the error code of a RST_STREAM or a GOAWAY. */
    public int error() {
      return number(payload, type == GOAWAY ? 4 : 0);
    }

    private static int number(byte[] bytes, int at) {
      return (bytes[at] & 0xff) << 24
          | (bytes[at + 1] & 0xff) << 16
          | (bytes[at + 2] & 0xff) << 8
          | bytes[at + 3] & 0xff;
    }
  }

  private final Socket socket;
  private final OutputStream out;
  private final DataInputStream in;

  /** Connects to a server on this machine, and sends the preface and the given settings. */
  public Http2Peer(int port, int... settings) throws IOException {
    this(new Socket(InetAddress.getLoopbackAddress(), port), settings);
  }

  public Http2Peer(Socket socket, int... settings) throws IOException {
    this.socket = socket;
    socket.setTcpNoDelay(true);
    out = new BufferedOutputStream(socket.getOutputStream(), 1 << 16);
    in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream(), 1 << 16));
    out.write(PREFACE.getBytes(StandardCharsets.US_ASCII));
    settings(settings).flush();
  }

  /** Sets the time limit of {@link #next}. */
  public Http2Peer patience(Duration time) throws IOException {
    socket.setSoTimeout((int) time.toMillis());
    return this;
  }

  public Http2Peer frame(int type, int flags, int stream, byte[] payload) throws IOException {
    byte[] head = {
      (byte) (payload.length >> 16),
      (byte) (payload.length >> 8),
      (byte) payload.length,
      (byte) type,
      (byte) flags,
      (byte) (stream >> 24),
      (byte) (stream >> 16),
      (byte) (stream >> 8),
      (byte) stream
    };
    out.write(head);
    out.write(payload);
    return this;
  }

  /** Sends settings: ids and values alternate. */
  public Http2Peer settings(int... settings) throws IOException {
    ByteArrayOutputStream payload = new ByteArrayOutputStream();
    for (int i = 0; i < settings.length; i += 2) {
      payload.write(settings[i] >> 8);
      payload.write(settings[i]);
      payload.writeBytes(number(settings[i + 1]));
    }
    return frame(SETTINGS, 0, 0, payload.toByteArray());
  }

  /** Acknowledges the server's settings. */
  public Http2Peer acknowledge() throws IOException {
    return frame(SETTINGS, END_STREAM, 0, new byte[0]);
  }

  public Http2Peer reset(int stream, int error) throws IOException {
    return frame(RST_STREAM, 0, stream, number(error));
  }

  public Http2Peer window(int stream, int increment) throws IOException {
    return frame(WINDOW_UPDATE, 0, stream, number(increment));
  }

  private static byte[] number(int value) {
    return new byte[] {
      (byte) (value >> 24), (byte) (value >> 16), (byte) (value >> 8), (byte) value
    };
  }

  /** Sends a request without a body, or without its declared body. */
  public Http2Peer request(int stream, boolean ends, String method, String path, String... headers)
      throws IOException {
    byte[] block = block(method, path, headers);
    int sent = Math.min(block.length, MAX_FRAME);
    int flags = (ends ? END_STREAM : 0) | (sent == block.length ? END_HEADERS : 0);
    frame(HEADERS, flags, stream, java.util.Arrays.copyOf(block, sent));
    while (sent < block.length) {
      int piece = Math.min(block.length - sent, MAX_FRAME);
      byte[] part = java.util.Arrays.copyOfRange(block, sent, sent + piece);
      sent += piece;
      frame(CONTINUATION, sent == block.length ? END_HEADERS : 0, stream, part);
    }
    return this;
  }

  /** Returns the header block of a request; names and values alternate. */
  public static byte[] block(String method, String path, String... headers) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    literal(block, ":method", method);
    literal(block, ":scheme", "http");
    literal(block, ":authority", "localhost");
    literal(block, ":path", path);
    for (int i = 0; i < headers.length; i += 2) {
      literal(block, headers[i], headers[i + 1]);
    }
    return block.toByteArray();
  }

  private static void literal(ByteArrayOutputStream block, String name, String value) {
    block.write(0); // not indexed
    text(block, name);
    text(block, value);
  }

  private static void text(ByteArrayOutputStream block, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    int prefix = 0x7f;
    if (bytes.length < prefix) {
      block.write(bytes.length);
    } else {
      block.write(prefix);
      int rest = bytes.length - prefix;
      for (; rest >= 0x80; rest >>= 7) {
        block.write(rest & 0x7f | 0x80);
      }
      block.write(rest);
    }
    block.writeBytes(bytes);
  }

  public Http2Peer flush() throws IOException {
    out.flush();
    return this;
  }

  /** Returns the next frame of the server; null at the end of the connection. */
  public Frame next() throws IOException {
    try {
      int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      int stream = in.readInt() & Integer.MAX_VALUE;
      byte[] payload = new byte[length];
      in.readFully(payload);
      return new Frame(type, flags, stream, payload);
    } catch (EOFException | SocketException ended) {
      return null;
    }
  }

  /** Returns the next frame of the given type. */
  public Frame next(int type) throws IOException {
    Frame frame = next();
    while (frame != null && frame.type() != type) {
      frame = next();
    }
    if (frame == null) {
      throw new EOFException("the connection has ended (expected: a frame of type " + type + ")");
    }
    return frame;
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
