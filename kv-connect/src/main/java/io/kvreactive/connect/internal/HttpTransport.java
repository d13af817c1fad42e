package io.kvreactive.connect.internal;

import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** The connections to the servers and their pending requests. */
final class HttpTransport {
  /** Maximum number of HTTP/1 connections: each watch occupies one. */
  private static final int HTTP1_CONNECTIONS = 64;

  private static final int HTTP1_WATCH_CONNECTIONS = 1024;

  /**
   * Maximum number of HTTP/2 connections, each of which carries a hundred concurrent requests; a
   * watch is one of them.
   */
  private static final int HTTP2_CONNECTIONS = 2;

  private static final int HTTP2_WATCH_CONNECTIONS = 16;
  private static final int MAX_WAITING = 10_000;

  /** Bytes of a response that the server may send before any was consumed. */
  private static final int STREAM_WINDOW_BYTES = 1 << 20;

  private static final int CONNECTION_WINDOW_BYTES = 4 << 20;

  private final ClientEventLoop loop;
  private final RemoteOptions options;
  private final HttpClientAgent calls;
  private final HttpClientAgent streams;
  private final Set<HttpExchange> underWay = Collections.newSetFromMap(new IdentityHashMap<>());
  private boolean closed;

  HttpTransport(Vertx vertx, ClientEventLoop loop, RemoteOptions options) {
    this.loop = loop;
    this.options = options;
    this.calls = client(vertx, options, HTTP1_CONNECTIONS, HTTP2_CONNECTIONS);
    this.streams = client(vertx, options, HTTP1_WATCH_CONNECTIONS, HTTP2_WATCH_CONNECTIONS);
  }

  private static HttpClientAgent client(
      Vertx vertx, RemoteOptions options, int http1Connections, int http2Connections) {
    return vertx
        .httpClientBuilder()
        .with(
            new HttpClientOptions()
                .setProtocolVersion(options.clearText())
                .setHttp2ClearTextUpgrade(false)
                .setInitialSettings(new Http2Settings().setInitialWindowSize(STREAM_WINDOW_BYTES))
                .setHttp2ConnectionWindowSize(CONNECTION_WINDOW_BYTES)
                .setUseAlpn(true)
                .setAlpnVersions(List.of(HttpVersion.HTTP_2, HttpVersion.HTTP_1_1))
                .setConnectTimeout((int) options.connectMillis())
                .setTcpKeepAlive(true))
        .with(
            new PoolOptions()
                .setHttp1MaxSize(http1Connections)
                .setHttp2MaxSize(http2Connections)
                .setMaxWaitQueueSize(MAX_WAITING))
        .build();
  }

  /** Sends a request and reads the whole response. Must be called on the event loop. */
  Mono<HttpAnswer> send(HttpPost request) {
    return Mono.create(
        sink ->
            loop.execute(
                () -> {
                  HttpExchange exchange = begin(calls, request, new ResponseCollector(sink));
                  sink.onCancel(() -> loop.executeIfOpen(exchange::cancel));
                }));
  }

  /** Sends a request with an endless response. Must be called on the event loop. */
  HttpExchange stream(HttpPost request, ResponseReceiver receiver) {
    return begin(streams, request, receiver);
  }

  private HttpExchange begin(HttpClientAgent client, HttpPost request, ResponseReceiver receiver) {
    HttpExchange exchange = new HttpExchange(loop, request, receiver, underWay::remove);
    underWay.add(exchange);
    if (closed) {
      exchange.abort();
      return exchange;
    }
    client.request(target(request)).onComplete(exchange::connected, exchange::notConnected);
    return exchange;
  }

  private RequestOptions target(HttpPost request) {
    URI uri = request.uri();
    boolean tls = "https".equals(uri.getScheme().toLowerCase(Locale.ROOT));
    String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    return new RequestOptions()
        .setMethod(HttpMethod.POST)
        .setSsl(tls)
        .setHost(uri.getHost())
        .setPort(uri.getPort() >= 0 ? uri.getPort() : tls ? 443 : 80)
        .setURI(uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery())
        .setHeaders(request.headers())
        .setConnectTimeout(options.connectMillis())
        .setFollowRedirects(false);
  }

  /**
   * Aborts pending requests and closes the connections. Must be called on the event loop.
   * Idempotent.
   */
  Mono<Void> close() {
    if (!closed) {
      closed = true;
      List.copyOf(underWay).forEach(HttpExchange::abort);
    }
    return Mono.create(
        sink ->
            calls
                .close()
                .eventually(streams::close)
                .onComplete(done -> sink.success(), failed -> sink.success()));
  }

  /** Collects a complete response. */
  private static final class ResponseCollector implements ResponseReceiver {
    private final MonoSink<HttpAnswer> sink;
    private final Buffer body = Buffer.buffer();
    private int status;
    private MultiMap headers = MultiMap.caseInsensitiveMultiMap();

    ResponseCollector(MonoSink<HttpAnswer> sink) {
      this.sink = sink;
    }

    @Override
    public void head(int statusCode, MultiMap answered) {
      status = statusCode;
      headers = answered;
    }

    @Override
    public void chunk(Buffer bytes) {
      body.appendBuffer(bytes);
    }

    @Override
    public void end() {
      sink.success(new HttpAnswer(status, headers, body));
    }

    @Override
    public void failed(AttemptFailure failure) {
      sink.error(failure);
    }
  }
}
