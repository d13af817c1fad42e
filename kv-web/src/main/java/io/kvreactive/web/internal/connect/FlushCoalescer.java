package io.kvreactive.web.internal.connect;

import io.kvreactive.web.internal.vertx.ConnectionChannels;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Sends the responses of one group commit with one flush. Separate flushes would cost a system call
 * each, here and at the client.
 *
 * <p>Netty's {@code FlushConsolidationHandler} also saves a fifth of the event loop's CPU time per
 * set, but delays reads too. These should leave one by one, because the client processes one
 * response while the next is created.
 *
 * <p>Must be the first handler of the pipeline and be used on its event loop.
 */
final class FlushCoalescer extends ChannelOutboundHandlerAdapter {
  private @Nullable ChannelHandlerContext context;
  private boolean holding;
  private boolean wanted; // a flush was requested while holding

  /** Delays flushes of a connection until all pending tasks of its event loop have run. */
  static void hold(HttpServerRequest request) {
    if (request.version() != HttpVersion.HTTP_2) {
      return;
    }
    Channel channel = ConnectionChannels.of(request.connection());
    if (!channel.eventLoop().inEventLoop()) {
      return;
    }
    FlushCoalescer coalescer = channel.pipeline().get(FlushCoalescer.class);
    if (coalescer == null) {
      coalescer = new FlushCoalescer();
      channel.pipeline().addFirst(coalescer);
    }
    coalescer.hold();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
  }

  void hold() {
    ChannelHandlerContext at = context;
    if (at != null && !holding) {
      try {
        at.channel().eventLoop().execute(this::release);
        holding = true;
      } catch (RejectedExecutionException e) {
        holding = false; // a closed event loop would never release
      }
    }
  }

  private void release() {
    holding = false;
    ChannelHandlerContext at = context;
    if (wanted && at != null) {
      wanted = false;
      at.flush();
    }
  }

  @Override
  public void flush(ChannelHandlerContext at) {
    wanted = holding && at.channel().isWritable();
    if (!wanted) {
      at.flush();
    }
  }

  @Override
  public void close(ChannelHandlerContext at, ChannelPromise promise) {
    release();
    var unused = at.close(promise);
  }
}
