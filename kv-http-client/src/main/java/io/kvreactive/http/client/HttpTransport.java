package io.kvreactive.http.client;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.ClientSSLOptions;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * The connections of a client and their pending requests. Thread-safe. A request runs on the Vert.x
 * context that is current at subscription.
 */
public final class HttpTransport {
  private static final int MAX_WAITING = 10_000;

  /** Bytes of a response that the server may send before any was consumed. */
  private static final int STREAM_WINDOW_BYTES = 1 << 20;

  private static final int CONNECTION_WINDOW_BYTES = 4 << 20;

  private final Vertx vertx;
  private final long connectMillis;
  private final @Nullable ClientSSLOptions tls;
  private final HttpClientAgent client;
  private final Set<HttpExchange> exchanges = ConcurrentHashMap.newKeySet();
  private final Set<MonoSink<Void>> pauses = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** Creates a transport for requests that end. */
  public HttpTransport(
      Vertx vertx, long connectMillis, HttpVersion clearText, @Nullable ClientSSLOptions tls) {
    this(vertx, connectMillis, clearText, tls, 64, 2);
  }

  /**
   * Creates a transport.
   *
   * @param connectMillis the maximum time to connect
   * @param clearText the HTTP version over http://; https:// negotiates one
   * @param tls the options of TLS, or null for the default ones
   * @param http1Connections the maximum number of HTTP/1 connections
   * @param http2Connections the maximum number of HTTP/2 connections, each with about a hundred
   *     concurrent requests
   */
  public HttpTransport(
      Vertx vertx,
      long connectMillis,
      HttpVersion clearText,
      @Nullable ClientSSLOptions tls,
      int http1Connections,
      int http2Connections) {
    this.vertx = vertx;
    this.connectMillis = connectMillis;
    this.tls = verifying(tls);
    if (this.tls != null) {
      this.tls.setUseAlpn(true).setApplicationLayerProtocols(List.of("h2", "http/1.1"));
    }
    this.client =
        vertx
            .httpClientBuilder()
            .with(
                new HttpClientOptions()
                    .setProtocolVersion(clearText)
                    .setHttp2ClearTextUpgrade(false)
                    .setInitialSettings(
                        new Http2Settings().setInitialWindowSize(STREAM_WINDOW_BYTES))
                    .setHttp2ConnectionWindowSize(CONNECTION_WINDOW_BYTES)
                    .setUseAlpn(true)
                    .setAlpnVersions(List.of(HttpVersion.HTTP_2, HttpVersion.HTTP_1_1))
                    .setConnectTimeout((int) connectMillis)
                    .setTcpKeepAlive(true))
            .with(
                new PoolOptions()
                    .setHttp1MaxSize(http1Connections)
                    .setHttp2MaxSize(http2Connections)
                    .setMaxWaitQueueSize(MAX_WAITING))
            .build();
  }

  /** Returns a copy of options that verifies the name of the server; null for null. */
  static @Nullable ClientSSLOptions verifying(@Nullable ClientSSLOptions tls) {
    if (tls == null) {
      return null;
    }
    ClientSSLOptions copy = tls.copy();
    String algorithm = copy.getHostnameVerificationAlgorithm();
    if (algorithm == null || algorithm.isEmpty()) {
      copy.setHostnameVerificationAlgorithm("HTTPS");
    }
    return copy;
  }

  /** Sends a request and emits the whole response. Fails with an {@link AttemptFailure}. */
  public Mono<HttpAnswer> send(HttpCall call) {
    return Mono.create(
        sink -> {
          ResponseReceiver receiver = new ResponseCollector(call, sink::success, sink::error);
          sink.onCancel(stream(call, receiver)::cancel);
        });
  }

  /** Sends a request, whose response is passed on as it arrives. */
  public HttpExchange stream(HttpCall call, ResponseReceiver receiver) {
    HttpExchange exchange = new HttpExchange(vertx, call, receiver, exchanges::remove);
    exchanges.add(exchange);
    if (closed) {
      exchange.abort();
    } else {
      exchange.begin(connection(call));
    }
    return exchange;
  }

  private Future<HttpClientRequest> connection(HttpCall call) {
    try {
      return client.request(request(call));
    } catch (RuntimeException e) { // the client was closed meanwhile
      return Future.failedFuture(e);
    }
  }

  private RequestOptions request(HttpCall call) {
    RequestOptions request =
        target(new RequestOptions(), call.uri())
            .setMethod(call.method())
            .setHeaders(call.headers())
            .setConnectTimeout(connectMillis)
            .setFollowRedirects(false);
    if (tls != null && ServerUrls.isTls(call.uri())) {
      request.setSslOptions(tls);
    }
    return request;
  }

  /** Sets the target of a request. */
  static <R extends RequestOptions> R target(R request, URI uri) {
    String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    request
        .setSsl(ServerUrls.isTls(uri))
        .setHost(uri.getHost())
        .setPort(ServerUrls.port(uri))
        .setURI(uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery());
    return request;
  }

  /** Completes after a pause, or when this transport is closed. */
  public Mono<Void> pause(long millis) {
    return Mono.create(
        sink -> {
          pauses.add(sink);
          if (closed) { // Vert.x may be closed, too, and take no timers
            pauses.remove(sink);
            sink.success();
            return;
          }
          long timer = vertx.setTimer(Math.max(1, millis), fired -> sink.success());
          sink.onDispose(
              () -> {
                pauses.remove(sink);
                vertx.cancelTimer(timer);
              });
        });
  }

  boolean isClosed() {
    return closed;
  }

  /** Returns the exception for calls of a closed client. */
  public static KvException closed() {
    return new KvException(KvErrorCode.CLOSED, "the connection to the server is closed");
  }

  /** Aborts pending requests, ends pauses and closes the connections. Idempotent. */
  public Future<Void> close() {
    closed = true;
    exchanges.forEach(HttpExchange::abort);
    pauses.forEach(MonoSink::success);
    return client.close();
  }
}
