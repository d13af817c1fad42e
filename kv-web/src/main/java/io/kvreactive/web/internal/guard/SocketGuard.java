package io.kvreactive.web.internal.guard;

import io.kvreactive.web.internal.http.ByteBudget;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.util.AttributeKey;
import io.vertx.core.http.HttpServerOptions;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The first handler in the pipeline of a socket. It counts the memory that the caller makes the
 * server hold.
 *
 * <p>The count covers the bytes of incomplete request heads, the heads of unanswered requests,
 * bytes of HTTP/2 bodies that no handler has consumed, and responses that the caller has not read.
 * The sum is charged to the budget of all sockets in steps, so that an ordinary request touches no
 * state that threads share.
 *
 * <p>Without TLS, Vert.x adds its HTTP/1 handlers as soon as the bytes differ from the preface of
 * HTTP/2. They read the request in the same call. The bytes that decide this are passed on
 * separately, so that this server's handlers are in place before the rest is read.
 *
 * <p>All methods but {@link #charged}, {@link #close} and {@link #release} must be called on the
 * event loop of the socket.
 */
final class SocketGuard extends ChannelInboundHandlerAdapter {
  private static final AttributeKey<SocketGuard> KEY =
      AttributeKey.valueOf(SocketGuard.class.getName());
  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  /** Estimated size of the objects of a socket, including the heads of a few small requests. */
  private static final long BASE_BYTES = 12 << 10;

  private static final long BASE_BYTES_OF_TLS = 48 << 10;
  private static final long STEP_BYTES = 16 << 10;
  static final long CLOSE_MILLIS = 1_000;

  private final ConnectionLimiter connections;
  private final ByteBudget.Share share;
  private final Channel socket;
  private final String address;
  private final HttpServerOptions options;
  private final long base;

  private volatile long charged;
  private long unparsed; // bytes read since the last message or frame
  private long heads;
  private int preface; // number of bytes of PREFACE that were read
  private boolean decided;
  private @Nullable Http2Guard http2;
  private boolean upgraded;
  private @Nullable TrackedConnection watched;

  SocketGuard(
      ConnectionLimiter connections,
      ByteBudget.Share share,
      Channel socket,
      String address,
      HttpServerOptions options) {
    this.connections = connections;
    this.share = share;
    this.socket = socket;
    this.address = address;
    this.options = options;
    this.decided = options.isSsl();
    this.base = options.isSsl() ? BASE_BYTES_OF_TLS : BASE_BYTES;
    socket.attr(KEY).set(this);
  }

  /** Returns the guard of a socket that was accepted by {@link ConnectionLimiter#acceptor}. */
  static SocketGuard of(Channel socket) {
    SocketGuard guard = socket.attr(KEY).get();
    if (guard == null) {
      throw new IllegalStateException("the socket was not accepted by ConnectionLimiter");
    }
    return guard;
  }

  String address() {
    return address;
  }

  /**
   * Returns the number of bytes that the budget of all sockets was charged with for this socket.
   */
  long charged() {
    return charged;
  }

  /** Returns the number of bytes of the heads of unanswered requests. */
  long heads() {
    return heads;
  }

  /** Charges the base size of a socket. Returns false if the budget is spent. */
  boolean admit() {
    return charge(base);
  }

  private boolean charge(long bytes) {
    long before = charged;
    if (!connections.take(this, share, bytes)) {
      return false;
    }
    charged = before + bytes; // written by the event loop only, except in release
    return true;
  }

  /** Releases all charged memory. Idempotent. */
  void release() {
    share.release();
    charged = 0;
  }

  /** Releases all charged memory and closes the socket, even if the caller reads nothing. */
  void close() {
    release();
    socket.eventLoop().execute(this::closeSoon);
  }

  /**
   * Closes the socket after its pending output, or after {@link #CLOSE_MILLIS} if the caller does
   * not read.
   */
  private void closeSoon() {
    ScheduledFuture<?> forced =
        socket
            .eventLoop()
            .schedule(
                () -> socket.unsafe().close(socket.unsafe().voidPromise()),
                CLOSE_MILLIS,
                TimeUnit.MILLISECONDS);
    socket.close().addListener(closed -> forced.cancel(false));
  }

  /**
   * Records that the socket has become an HTTP connection, and installs the guard of its HTTP
   * version.
   */
  void opened(ChannelPipeline pipeline, TrackedConnection connection) {
    watched = connection;
    if (pipeline.get(io.netty.handler.codec.http2.Http2ConnectionHandler.class) != null) {
      http2 = Http2Guard.install(pipeline, this, connections.options().maxStreams());
      connection.http2(http2);
    } else if (options.isSsl()) {
      Http1Guard.install(pipeline, this, options);
    }
  }

  /** Returns the HTTP connection; null before the first request. */
  @Nullable TrackedConnection watched() {
    return watched;
  }

  /** Records that a whole message or frame was read. */
  void parsed() {
    unparsed = 0;
  }

  /** Records that the socket carries a WebSocket instead of HTTP. */
  void upgraded() {
    upgraded = true;
    unparsed = 0;
  }

  /** Adds bytes of request heads; a negative number after the requests were answered. */
  void head(long bytes) {
    heads += bytes;
    if (bytes > 0) {
      charge();
    }
  }

  /** Adjusts the charge to the memory held now. Closes the socket if the budget is spent. */
  void charge() {
    ChannelOutboundBuffer unread = socket.unsafe().outboundBuffer();
    long held =
        base / 2
            + unparsed
            + heads
            + (http2 == null ? 0 : http2.unconsumed())
            + (unread == null ? 0 : unread.totalPendingWriteBytes());
    long paid = charged;
    if (held > paid) {
      long steps = (held - paid + STEP_BYTES - 1) / STEP_BYTES;
      if (paid > 0 && !charge(steps * STEP_BYTES)) {
        close();
      }
    } else if (paid - held > 2 * STEP_BYTES && paid > base) {
      long fewer = Math.min(paid - base, (paid - held) / STEP_BYTES * STEP_BYTES);
      share.give(fewer);
      charged = paid - fewer;
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object read) {
    ByteBuf bytes = (ByteBuf) read;
    if (!upgraded) {
      unparsed += bytes.readableBytes();
    }
    if (decided) {
      context.fireChannelRead(bytes);
    } else {
      decide(context, bytes);
    }
  }

  private void decide(ChannelHandlerContext context, ByteBuf bytes) {
    int end = bytes.writerIndex();
    int index = bytes.readerIndex();
    while (preface < PREFACE.length && index < end && bytes.getByte(index) == PREFACE[preface]) {
      preface++;
      index++;
    }
    if (preface == PREFACE.length) {
      decided = true;
    } else if (index < end) {
      decided = true;
      context.fireChannelRead(bytes.readRetainedSlice(index + 1 - bytes.readerIndex()));
      Http1Guard.install(context.pipeline(), this, options);
    }
    context.fireChannelRead(bytes);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    context.fireChannelReadComplete();
    charge();
  }

  /**
   * Stops reading from an HTTP/2 caller that does not read. Responses without a body and
   * acknowledgements of settings and pings are not limited by flow control.
   */
  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (http2 != null) {
      socket.config().setAutoRead(socket.isWritable());
    }
    charge();
    context.fireChannelWritabilityChanged();
  }
}
