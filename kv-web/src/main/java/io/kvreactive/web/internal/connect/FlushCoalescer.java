package io.kvreactive.web.internal.connect;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Lets the answers of commits that were synced together leave a connection together: each by itself
 * would be a system call here and another where it arrives. (Measured with Netty's own handler for
 * this: a fifth less CPU time of the event loop for a set.) That one would hold back the answers of
 * reads too, and those had better leave one by one: while the client takes one, the next is made.
 * First in the pipeline, on its event loop.
 */
final class FlushCoalescer extends ChannelOutboundHandlerAdapter {
  private @Nullable ChannelHandlerContext context;
  private boolean holding;
  private boolean wanted; // to flush, meanwhile

  /** What is answered from here on leaves when all that waits for the event loop has been done. */
  static void hold(HttpServerRequest request) {
    if (request.version() != HttpVersion.HTTP_2
        || !(request.connection() instanceof ConnectionBase connection)) {
      return;
    }
    Channel channel = connection.channel();
    if (!channel.eventLoop().inEventLoop()) {
      return;
    }
    FlushCoalescer answers = channel.pipeline().get(FlushCoalescer.class);
    if (answers == null) {
      answers = new FlushCoalescer();
      channel.pipeline().addFirst(answers);
    }
    answers.hold();
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
        holding = false; // the event loop ends: nothing would let go
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
