package io.kvreactive.index.remote.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.index.DocumentClientOptions;
import io.kvreactive.index.remote.internal.CallFailure.Kind;
import io.kvreactive.index.remote.internal.RestCall.Safety;
import io.kvreactive.index.spi.DocumentMapper;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.ClientSSLOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;

/**
 * Sends requests to a server, again where that is safe and useful: after random pauses whose
 * maximum doubles, until the time for retries has elapsed. Thread-safe. A request runs on the
 * Vert.x context of its subscriber, if there is one.
 */
final class RestCaller {
  private static final int HTTP1_CONNECTIONS = 64;
  private static final int HTTP2_CONNECTIONS = 2;
  private static final int MAX_WAITING = 10_000;

  /** Bytes of a response that the server may send before any was consumed. */
  private static final int STREAM_WINDOW_BYTES = 1 << 20;

  private static final int CONNECTION_WINDOW_BYTES = 4 << 20;

  /** Maximum silence of a request whose time is not limited. */
  private static final Duration LONGEST_SILENCE = Duration.ofMinutes(6);

  private static final long FIRST_PAUSE_MILLIS = 50;
  private static final long LONGEST_PAUSE_MILLIS = 2000;

  private final Vertx vertx;
  private final DatabaseAddress address;
  private final DocumentClientOptions options;
  private final DocumentMapper mapper;
  private final HttpClientAgent client;
  private volatile boolean closed;

  RestCaller(
      Vertx vertx, DatabaseAddress address, DocumentClientOptions options, DocumentMapper mapper) {
    this.vertx = vertx;
    this.address = address;
    this.options = options;
    this.mapper = mapper;
    this.client =
        vertx
            .httpClientBuilder()
            .with(
                new HttpClientOptions()
                    .setProtocolVersion(HttpVersion.HTTP_1_1)
                    .setHttp2ClearTextUpgrade(false)
                    .setInitialSettings(
                        new Http2Settings().setInitialWindowSize(STREAM_WINDOW_BYTES))
                    .setHttp2ConnectionWindowSize(CONNECTION_WINDOW_BYTES)
                    .setUseAlpn(true)
                    .setAlpnVersions(List.of(HttpVersion.HTTP_2, HttpVersion.HTTP_1_1))
                    .setConnectTimeout((int) options.connectTimeout().toMillis())
                    .setTcpKeepAlive(true))
            .with(
                new PoolOptions()
                    .setHttp1MaxSize(HTTP1_CONNECTIONS)
                    .setHttp2MaxSize(HTTP2_CONNECTIONS)
                    .setMaxWaitQueueSize(MAX_WAITING))
            .build();
  }

  /** Returns the options of TLS for an address; null for the default ones. */
  static @Nullable ClientSSLOptions tls(DatabaseAddress address, DocumentClientOptions options) {
    ClientSSLOptions tls = options.tls();
    if (!address.tls() || tls == null) {
      return null;
    }
    ClientSSLOptions copy = tls.copy();
    if (copy.getHostnameVerificationAlgorithm() == null
        || copy.getHostnameVerificationAlgorithm().isEmpty()) {
      copy.setHostnameVerificationAlgorithm("HTTPS");
    }
    return copy;
  }

  Future<Void> close() {
    closed = true;
    return client.close();
  }

  /** Sends a request and emits its answer of status 200 to 299. */
  Mono<RestAnswer> call(RestCall call) {
    return Mono.defer(() -> attempt(attempts(call)));
  }

  private Attempts attempts(RestCall call) {
    Duration time = call.retryTime() == null ? options.retryTime() : call.retryTime();
    return new Attempts(call, System.nanoTime() + time.toNanos());
  }

  /**
   * Sends a request and emits the lines of JSON of its answer. If the subscriber is slow, lines
   * that a later one replaces are left out. The error in the last line is emitted as an error.
   * After the first line the request is not sent again.
   */
  Flux<JsonNode> progress(RestCall call) {
    return Flux.defer(() -> lines(attempts(call)))
        .map(line -> mapper.parse(line.getBytes()))
        .handle(
            (line, sink) -> {
              if (line.has("error")) {
                sink.error(ProblemReader.of(line.get("error")).shown());
              } else {
                sink.next(line);
              }
            });
  }

  private Flux<Buffer> lines(Attempts attempts) {
    AtomicBoolean hasEmitted = new AtomicBoolean();
    RestCall call = attempts.call;
    return Flux.<Buffer>create(
            sink -> {
              RestExchange exchange =
                  new RestExchange(
                      vertx,
                      call,
                      address,
                      sink::next,
                      answer -> {
                        if (answer.status() < 300) {
                          sink.complete();
                        } else {
                          sink.error(ProblemReader.of(address, answer, mapper));
                        }
                      },
                      sink::error);
              sink.onCancel(exchange::cancel);
              exchange.begin(request(call));
            },
            FluxSink.OverflowStrategy.LATEST)
        .doOnNext(line -> hasEmitted.set(true))
        .onErrorResume(
            CallFailure.class,
            failure ->
                hasEmitted.get()
                    ? Flux.error(shown(attempts, failure))
                    : pause(attempts, failure).thenMany(Flux.defer(() -> lines(attempts))));
  }

  private static final class Attempts {
    final RestCall call;
    final long deadline;
    int failed;
    @Nullable CallFailure unknown;

    Attempts(RestCall call, long deadline) {
      this.call = call;
      this.deadline = deadline;
    }
  }

  private Mono<RestAnswer> attempt(Attempts attempts) {
    return send(attempts.call)
        .flatMap(
            answer ->
                answer.status() < 300
                    ? Mono.just(answer)
                    : Mono.error(ProblemReader.of(address, answer, mapper)))
        .onErrorResume(
            CallFailure.class,
            failure -> pause(attempts, failure).then(Mono.defer(() -> attempt(attempts))));
  }

  /** Completes when another attempt is due, or signals the exception for users. */
  private Mono<Void> pause(Attempts attempts, CallFailure failure) {
    if (failure.kind() == Kind.UNKNOWN) {
      attempts.unknown = failure;
    }
    boolean again =
        !closed
            && (failure.kind() == Kind.NOT_DONE
                || failure.kind() == Kind.UNKNOWN && attempts.call.safety() != Safety.ONCE);
    long pause = Math.max(failure.pauseMillis(), pauseMillis(attempts.failed++));
    long left = TimeUnit.NANOSECONDS.toMillis(attempts.deadline - System.nanoTime());
    return again && pause < left
        ? Mono.delay(Duration.ofMillis(pause)).then()
        : Mono.error(shown(attempts, failure));
  }

  /** Returns a random pause, so that clients do not all send again at once. */
  static long pauseMillis(int failed) {
    long bound = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(16, failed));
    return ThreadLocalRandom.current().nextLong(bound / 2, bound + 1);
  }

  /**
   * Returns the exception for users. A conflict may be one with an earlier attempt. CLOSED means
   * that nothing was done.
   */
  private RuntimeException shown(Attempts attempts, CallFailure last) {
    CallFailure unknown = attempts.unknown;
    boolean isRead = attempts.call.safety() == Safety.READ;
    if (closed && (isRead || unknown == null && last.kind() == Kind.NOT_DONE)) {
      return ClientVerticle.closed();
    }
    return isRead || unknown == null || unknown == last
        ? last.shown()
        : new KvException(
            KvErrorCode.UNAVAILABLE,
            "whether it was done is not known: " + unknown.shown().getMessage(),
            last.shown());
  }

  private Mono<RestAnswer> send(RestCall call) {
    return Mono.create(
        sink -> {
          RestExchange exchange =
              new RestExchange(vertx, call, address, null, sink::success, sink::error);
          sink.onCancel(exchange::cancel);
          if (call.endless()) {
            exchange.begin(request(call));
          } else {
            exchange.begin(request(call), options.requestTimeout());
          }
        });
  }

  private Future<HttpClientRequest> request(RestCall call) {
    RequestOptions request =
        address
            .target(new RequestOptions(), call.path())
            .setMethod(call.method())
            .setConnectTimeout(options.connectTimeout().toMillis())
            .setFollowRedirects(false);
    if (call.endless()) {
      request.setIdleTimeout(LONGEST_SILENCE.toMillis());
    }
    ClientSSLOptions tls = tls(address, options);
    if (tls != null) {
      tls.setUseAlpn(true);
      tls.setApplicationLayerProtocols(List.of("h2", "http/1.1"));
      request.setSslOptions(tls);
    }
    call.headers().forEach(request::putHeader);
    if (options.token() != null) {
      request.putHeader("Authorization", "Bearer " + options.token());
    }
    return closed ? Future.failedFuture(ClientVerticle.closed()) : client.request(request);
  }

  /** Returns the failure of an attempt that got no connection. */
  static CallFailure notConnected(DatabaseAddress address, Throwable failure) {
    if (failure instanceof KvException known) {
      return new CallFailure(Kind.FINAL, known, 0);
    }
    return failure instanceof ConnectionPoolTooBusyException
        ? new CallFailure(
            Kind.FINAL,
            new KvException(
                KvErrorCode.OVERLOADED,
                "more than " + MAX_WAITING + " requests wait for a connection to " + address),
            0)
        : CallFailure.unavailable(
            Kind.NOT_DONE, "cannot connect to " + address + ": " + failure.getMessage(), failure);
  }
}
