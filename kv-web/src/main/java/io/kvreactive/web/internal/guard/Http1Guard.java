package io.kvreactive.web.internal.guard;

import io.kvreactive.web.internal.vertx.StrictRequestDecoder;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpServerOptions;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Guards an HTTP/1 connection. Counts the heads of unanswered requests, including pipelined
 * requests that Vert.x holds back. Ignores upgrades to HTTP/2. Answers requests with an unreadable
 * body with 400.
 */
final class Http1Guard extends ChannelDuplexHandler {
  private static final String DECODER =
      "httpDecoder"; // the names of handlers in the pipeline of Vert.x
  private static final String ENCODER = "httpEncoder";

  private static final int REQUEST_BYTES = 2_048; // estimated memory of a request
  private static final int HEADER_BYTES = 64; // estimated memory of a header

  private final SocketGuard socket;
  private final ArrayDeque<Integer> heads = new ArrayDeque<>();
  private boolean broken;

  private Http1Guard(SocketGuard socket) {
    this.socket = socket;
  }

  /** Adds the handler and the strict decoder if the pipeline is one of HTTP/1. */
  static void install(ChannelPipeline pipeline, SocketGuard socket, HttpServerOptions options) {
    ChannelHandler decoder = pipeline.get(DECODER);
    if (decoder != null) {
      pipeline.addAfter(ENCODER, Http1Guard.class.getName(), new Http1Guard(socket));
      pipeline.replace(decoder, DECODER, new StrictRequestDecoder(options));
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    socket.parsed();
    if (message instanceof HttpRequest request) {
      int bytes = bytes(request);
      heads.addLast(bytes);
      socket.head(bytes);
      ignoreUpgrade(request.headers());
      if (!KnownMethods.isKnown(request.method().name())) {
        request.setMethod(HttpMethod.valueOf(KnownMethods.UNKNOWN));
      }
    } else if (message instanceof HttpContent content && content.decoderResult().isFailure()) {
      ReferenceCountUtil.release(content);
      fail(context, content.decoderResult().cause());
      return;
    }
    context.fireChannelRead(message);
  }

  private static int bytes(HttpRequest request) {
    int bytes = REQUEST_BYTES + request.uri().length();
    Iterator<Map.Entry<CharSequence, CharSequence>> headers =
        request.headers().iteratorCharSequence();
    while (headers.hasNext()) {
      Map.Entry<CharSequence, CharSequence> header = headers.next();
      bytes += HEADER_BYTES + header.getKey().length() + header.getValue().length();
    }
    return bytes;
  }

  /**
   * Removes the headers of an upgrade to HTTP/2. HTTP/2 without TLS requires prior knowledge:
   * inside an upgraded connection, a proxy would not see the requests to which its rules apply.
   */
  private static void ignoreUpgrade(HttpHeaders headers) {
    if (headers.contains(HttpHeaderNames.UPGRADE, "h2c", true)) {
      headers.remove(HttpHeaderNames.UPGRADE);
      headers.remove("HTTP2-Settings");
    }
  }

  /** Fails the body of the request, which is then answered; closes the connection afterwards. */
  private void fail(ChannelHandlerContext context, @Nullable Throwable cause) {
    broken = true;
    TrackedConnection connection = socket.watched();
    boolean bodyFailed =
        heads.size() == 1
            && connection != null
            && connection.failBody(cause == null ? new IllegalStateException() : cause);
    if (!bodyFailed) {
      var unused = context.close();
    }
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    ChannelPromise written = promise;
    boolean interim =
        message instanceof HttpResponse response
            && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
    if (message instanceof HttpResponse response
        && response.status().equals(HttpResponseStatus.SWITCHING_PROTOCOLS)) {
      socket.upgraded();
    }
    if (message instanceof LastHttpContent && !interim) {
      Integer bytes = heads.pollFirst();
      if (bytes != null) {
        socket.head(-bytes);
      }
      if (broken) {
        written = promise.unvoid().addListener(ChannelFutureListener.CLOSE);
      }
    }
    var unused = context.write(message, written);
  }
}
