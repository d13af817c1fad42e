package io.kvreactive.web.internal.guard;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpHeaderValidationUtil;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2Stream.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Limits the memory of an HTTP/2 connection, beyond the limits of Netty and Vert.x.
 *
 * <ul>
 *   <li>The limit of concurrent streams holds from the first request, not from the caller's
 *       acknowledgement of the settings. Streams above the limit are refused. Netty ends the
 *       connection with GOAWAY after it has refused as many streams as callers may reset.
 *   <li>A stream that is answered while its request continues is reset (NO_ERROR): immediately if
 *       the connection holds much memory, otherwise after a moment, because most callers end the
 *       stream themselves.
 *   <li>Body bytes that wait in this server, within the flow control windows, are counted until
 *       they are consumed.
 *   <li>Heads are counted until their stream is closed. Header fields that are malformed by RFC
 *       9113 8.2.1 reset the stream.
 *   <li>The dynamic table for response headers has at most its default size, whatever size the
 *       caller allows. Settings may be changed a limited number of times.
 * </ul>
 *
 * <p>Must be used on the event loop of the connection.
 */
final class Http2Guard extends Http2FrameListenerDecorator {
  private static final int STREAM_BYTES = 6 << 10; // estimated memory of a request
  private static final int HEADER_BYTES = 64; // estimated memory of a header

  private static final long MUCH_BYTES = 128 << 10; // of the heads of all streams

  static final long ANSWERED_NANOS = Duration.ofMillis(500).toNanos();

  static final int MAX_SETTINGS = 100; // within SETTINGS_NANOS
  static final long SETTINGS_NANOS = Duration.ofSeconds(30).toNanos();

  private final SocketGuard socket;
  private final ChannelHandlerContext context;
  private final Http2ConnectionHandler handler;
  private final Http2Connection.PropertyKey head; // Integer, bytes
  private final Http2Connection.PropertyKey answered; // Long, System.nanoTime()
  private int answeredOpen;
  private int settings;
  private long settingsSince = System.nanoTime();

  private Http2Guard(
      SocketGuard socket,
      ChannelHandlerContext context,
      Http2ConnectionHandler handler,
      Http2FrameListener vertx) {
    super(vertx);
    this.socket = socket;
    this.context = context;
    this.handler = handler;
    this.head = handler.connection().newKey();
    this.answered = handler.connection().newKey();
  }

  /** Guards a connection whose settings have been read, before its first request. */
  static Http2Guard install(ChannelPipeline pipeline, SocketGuard socket, int maxStreams) {
    ChannelHandlerContext context = pipeline.context(Http2ConnectionHandler.class);
    Http2ConnectionHandler handler = (Http2ConnectionHandler) context.handler();
    Http2Guard guard = new Http2Guard(socket, context, handler, handler.decoder().frameListener());
    handler.connection().remote().maxActiveStreams(maxStreams);
    handler.connection().addListener(guard.new Streams());
    handler.decoder().frameListener(guard);
    try {
      guard.boundTable();
    } catch (Http2Exception e) {
      throw new IllegalStateException("the default table size was rejected", e);
    }
    return guard;
  }

  private final class Streams extends Http2ConnectionAdapter {
    @Override
    public void onStreamHalfClosed(Http2Stream stream) {
      if (stream.state() == State.HALF_CLOSED_LOCAL && stream.getProperty(answered) == null) {
        stream.setProperty(answered, System.nanoTime());
        answeredOpen++;
        if (socket.heads() > MUCH_BYTES) {
          context.executor().execute(() -> reset(stream)); // Netty is still processing the stream
        }
      }
    }

    @Override
    public void onStreamClosed(Http2Stream stream) {
      Integer bytes = stream.removeProperty(head);
      if (bytes != null) {
        socket.head(-bytes);
      }
      if (stream.removeProperty(answered) != null) {
        answeredOpen--;
      }
    }
  }

  private void reset(Http2Stream stream) {
    if (stream.state() == State.HALF_CLOSED_LOCAL) {
      long code = Http2Error.NO_ERROR.code();
      var unused =
          handler.encoder().writeRstStream(context, stream.id(), code, context.newPromise());
      context.flush();
    }
  }

  /**
   * Adjusts the charge of the connection, and resets the streams that were answered more than
   * {@link #ANSWERED_NANOS} ago and whose requests continue.
   */
  void sweep(long now) {
    socket.charge();
    if (answeredOpen == 0) {
      return;
    }
    List<Http2Stream> late = new ArrayList<>();
    try {
      handler
          .connection()
          .forEachActiveStream(
              stream -> {
                Long since = stream.getProperty(answered);
                if (since != null && now - since > ANSWERED_NANOS) {
                  late.add(stream);
                }
                return true;
              });
    } catch (Http2Exception e) {
      throw new IllegalStateException("the visitor throws nothing", e);
    }
    late.forEach(this::reset);
  }

  /**
   * Returns the number of bytes that a stream may send now, its flow control window; 0 if the
   * stream is closed.
   */
  int window(int streamId) {
    Http2Stream stream = handler.connection().stream(streamId);
    return stream == null ? 0 : handler.encoder().flowController().windowSize(stream);
  }

  /** Returns the number of received body bytes that no handler has consumed. */
  int unconsumed() {
    Http2Connection connection = handler.connection();
    return connection.local().flowController().unconsumedBytes(connection.connectionStream());
  }

  private void boundTable() throws Http2Exception {
    Http2HeadersEncoder.Configuration table =
        handler.encoder().configuration().headersConfiguration();
    if (table.maxHeaderTableSize() > Http2CodecUtil.DEFAULT_HEADER_TABLE_SIZE) {
      table.maxHeaderTableSize(Http2CodecUtil.DEFAULT_HEADER_TABLE_SIZE);
    }
  }

  @Override
  public void onSettingsRead(ChannelHandlerContext on, Http2Settings changed)
      throws Http2Exception {
    socket.parsed();
    long now = System.nanoTime();
    if (now - settingsSince > SETTINGS_NANOS) {
      settingsSince = now;
      settings = 0;
    }
    if (++settings > MAX_SETTINGS) {
      throw Http2Exception.connectionError(
          Http2Error.ENHANCE_YOUR_CALM, "settings were changed more than %d times", MAX_SETTINGS);
    }
    boundTable();
    super.onSettingsRead(on, changed);
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext on,
      int streamId,
      Http2Headers headers,
      int padding,
      boolean endOfStream)
      throws Http2Exception {
    enter(streamId, headers);
    super.onHeadersRead(on, streamId, headers, padding, endOfStream);
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext on,
      int streamId,
      Http2Headers headers,
      int dependency,
      short weight,
      boolean exclusive,
      int padding,
      boolean endOfStream)
      throws Http2Exception {
    enter(streamId, headers);
    super.onHeadersRead(on, streamId, headers, dependency, weight, exclusive, padding, endOfStream);
  }

  private void enter(int streamId, Http2Headers headers) throws Http2Exception {
    socket.parsed();
    int bytes = STREAM_BYTES;
    for (Map.Entry<CharSequence, CharSequence> header : headers) {
      CharSequence name = header.getKey();
      CharSequence value = header.getValue();
      boolean pseudo = name.charAt(0) == ':'; // Netty has constants for all of them
      if ((!pseudo && HttpHeaderValidationUtil.validateToken(name) >= 0)
          || HttpHeaderValidationUtil.validateValidHeaderValue(value) >= 0) {
        throw Http2Exception.streamError(
            streamId, Http2Error.PROTOCOL_ERROR, "a header field has a forbidden character");
      }
      bytes += HEADER_BYTES + name.length() + value.length();
    }
    Http2Stream stream = handler.connection().stream(streamId);
    if (stream != null && stream.getProperty(head) == null) { // otherwise these are trailers
      CharSequence method = headers.method();
      if (method != null && !KnownMethods.isKnown(method.toString())) {
        headers.method(KnownMethods.UNKNOWN);
      }
      stream.setProperty(head, bytes);
      socket.head(bytes);
    }
  }

  @Override
  public int onDataRead(
      ChannelHandlerContext on, int streamId, ByteBuf data, int padding, boolean endOfStream)
      throws Http2Exception {
    socket.parsed();
    return super.onDataRead(on, streamId, data, padding, endOfStream);
  }

  @Override
  public void onPriorityRead(
      ChannelHandlerContext on, int streamId, int dependency, short weight, boolean exclusive)
      throws Http2Exception {
    socket.parsed();
    super.onPriorityRead(on, streamId, dependency, weight, exclusive);
  }

  @Override
  public void onRstStreamRead(ChannelHandlerContext on, int streamId, long errorCode)
      throws Http2Exception {
    socket.parsed();
    super.onRstStreamRead(on, streamId, errorCode);
  }

  @Override
  public void onPingRead(ChannelHandlerContext on, long data) throws Http2Exception {
    socket.parsed();
    super.onPingRead(on, data);
  }

  @Override
  public void onWindowUpdateRead(ChannelHandlerContext on, int streamId, int increment)
      throws Http2Exception {
    socket.parsed();
    super.onWindowUpdateRead(on, streamId, increment);
  }

  @Override
  public void onUnknownFrame(
      ChannelHandlerContext on, byte type, int streamId, Http2Flags flags, ByteBuf payload)
      throws Http2Exception {
    socket.parsed();
    super.onUnknownFrame(on, type, streamId, flags, payload);
  }
}
