package io.kvreactive.http.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.http.client.AttemptFailure.Kind;
import io.kvreactive.http.client.HttpCall.Limits;
import io.kvreactive.http.client.HttpCall.Safety;
import io.kvreactive.http.client.RetryingCall.Backoff;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

/** Exchanges with a server, and their repetition. */
@ExtendWith(VertxExtension.class)
class HttpTransportTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final long PATIENCE = 60_000;

  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<Runnable> closings = new ArrayList<>();
  private Vertx vertx;
  private HttpTransport transport;
  private String url;

  @BeforeEach
  void use(Vertx vertx) {
    this.vertx = vertx;
    transport = new HttpTransport(vertx, PATIENCE, HttpVersion.HTTP_1_1, null);
    closings.add(() -> transport.close().await());
  }

  @AfterEach
  void close() {
    closings.forEach(Runnable::run);
  }

  private void serve(Consumer<HttpServerRequest> handler) {
    HttpServer server =
        vertx
            .createHttpServer()
            .requestHandler(
                request -> {
                  requests.add(request.method() + " " + request.uri());
                  handler.accept(request);
                })
            .listen(0, "127.0.0.1")
            .await();
    closings.add(() -> server.close().await());
    url = "http://127.0.0.1:" + server.actualPort();
  }

  private static void answer(HttpServerRequest request, int status, String text) {
    request.response().setStatusCode(status).end(text);
  }

  private HttpCall call(Safety safety, Limits limits) {
    return new HttpCall(
        HttpMethod.PUT,
        URI.create(url + "/a%2Eb?c=%20d"),
        MultiMap.caseInsensitiveMultiMap().add("x-test", "yes"),
        Buffer.buffer("body"),
        limits,
        safety,
        true);
  }

  private HttpCall call(Safety safety) {
    return call(safety, new Limits(1 << 20, 0, PATIENCE, 0));
  }

  private static <T> T get(Mono<T> mono) {
    T value = mono.block(TIMEOUT);
    if (value == null) {
      throw new AssertionError("empty");
    }
    return value;
  }

  private static AttemptFailure failure(Mono<?> attempt) {
    try {
      attempt.block(TIMEOUT);
    } catch (AttemptFailure e) {
      return e;
    }
    throw new AssertionError("no failure");
  }

  private static <T> T within(CompletableFuture<T> future) throws Exception {
    return future.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void sendsARequestAndReadsTheWholeAnswer() {
    serve(
        request ->
            request
                .body()
                .onSuccess(
                    body -> {
                      request.response().setChunked(true).putHeader("x-echo", "1");
                      request.response().setStatusCode(201).write(request.getHeader("x-test"));
                      request.response().end(body);
                    }));
    HttpAnswer answer = get(transport.send(call(Safety.ONCE)));
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.headers().get("X-Echo")).isEqualTo("1");
    assertThat(answer.body()).hasToString("yesbody");
    assertThat(requests).containsExactly("PUT /a%2Eb?c=%20d");
  }

  @Test
  void abortsALargeAnswer() throws Exception {
    CompletableFuture<Void> closed = new CompletableFuture<>();
    serve(
        request -> {
          request.connection().closeHandler(closed::complete);
          request.response().setChunked(true).write("x".repeat(101));
        });
    AttemptFailure failure =
        failure(transport.send(call(Safety.ONCE, new Limits(100, 0, PATIENCE, 0))));
    assertThat(failure.kind()).isEqualTo(Kind.TOO_LARGE);
    assertThat(KvError.is(failure.shown(), KvErrorCode.LIMIT_EXCEEDED)).isTrue();
    within(closed);
  }

  /** The head within its time, and the body within the time of both. */
  @ParameterizedTest
  @CsvSource({"50, 0, false", "60000, 200, true", "0, 50, false"})
  void limitsTheTimeOfAnExchange(long headMillis, long totalMillis, boolean sendsHead)
      throws Exception {
    CompletableFuture<Void> closed = new CompletableFuture<>();
    serve(
        request -> {
          request.connection().closeHandler(closed::complete);
          if (sendsHead) {
            request.response().setChunked(true).write("begin");
          }
        });
    AttemptFailure failure =
        failure(transport.send(call(Safety.ONCE, new Limits(1 << 20, headMillis, totalMillis, 0))));
    assertThat(failure.kind()).isIn(Kind.UNKNOWN, Kind.NOT_DONE); // a slow machine may not connect
    assertThat(KvError.is(failure.shown(), KvErrorCode.UNAVAILABLE)).isTrue();
    if (failure.kind() == Kind.UNKNOWN && !requests.isEmpty()) {
      within(closed);
    }
  }

  @Test
  void limitsTheTimeWithoutAByteOfTheResponse() {
    serve(
        request -> {
          request.response().setChunked(true).write("a");
          vertx.setTimer(100, later -> request.response().write("b"));
        });
    AttemptFailure failure =
        failure(transport.send(call(Safety.ONCE, new Limits(1 << 20, PATIENCE, 0, 500))));
    assertThat(failure.kind()).isEqualTo(Kind.UNKNOWN);
    assertThat(failure).hasMessageContaining("500 ms");
  }

  @Test
  void tellsAMissingConnectionFromALostOne() {
    serve(request -> request.connection().close());
    assertThat(failure(transport.send(call(Safety.ONCE))).kind()).isEqualTo(Kind.UNKNOWN);
    url = "http://127.0.0.1:1";
    assertThat(failure(transport.send(call(Safety.ONCE))).kind()).isEqualTo(Kind.NOT_DONE);
  }

  @Test
  void resetsACancelledRequest() throws Exception {
    CompletableFuture<Void> asked = new CompletableFuture<>();
    CompletableFuture<Void> closed = new CompletableFuture<>();
    serve(
        request -> {
          request.connection().closeHandler(closed::complete);
          asked.complete(null);
        });
    var sent = transport.send(call(Safety.ONCE)).subscribe();
    within(asked);
    sent.dispose();
    within(closed);
  }

  @Test
  void letsTheServerCompleteACancelledWriteThatIsNotReset() throws Exception {
    CompletableFuture<HttpServerRequest> asked = new CompletableFuture<>();
    serve(asked::complete);
    HttpCall write = call(Safety.ONCE);
    HttpCall kept =
        new HttpCall(
            write.method(),
            write.uri(),
            write.headers(),
            write.body(),
            write.limits(),
            write.safety(),
            false);
    var sent = transport.send(kept).subscribe();
    HttpServerRequest request = within(asked);
    sent.dispose();
    CompletableFuture<Void> written = new CompletableFuture<>();
    request.response().end("done").onComplete(written::complete, written::completeExceptionally);
    within(written);
  }

  private Mono<HttpAnswer> retrying(Safety safety, long budgetMillis) {
    return Mono.defer(
        () ->
            new RetryingCall(transport, safety, new Backoff(2, 10), budgetMillis)
                .run(
                    () ->
                        transport
                            .send(call(safety))
                            .flatMap(
                                answer ->
                                    answer.status() == 200
                                        ? Mono.just(answer)
                                        : Mono.error(refusal(answer)))));
  }

  private static AttemptFailure refusal(HttpAnswer answer) {
    ServerProblem problem = ServerProblem.of(answer);
    return switch (answer.status()) {
      case 409 -> AttemptFailure.of(Kind.FINAL, KvErrorCode.CONFLICT, problem.text());
      case 500 -> AttemptFailure.of(Kind.UNKNOWN, KvErrorCode.INTERNAL, problem.text());
      default ->
          new AttemptFailure(
              Kind.NOT_DONE,
              new KvException(KvErrorCode.OVERLOADED, problem.text()),
              problem.pauseMillis());
    };
  }

  private static KvErrorCode code(Mono<?> call) {
    try {
      call.block(TIMEOUT);
    } catch (RuntimeException e) {
      if (e instanceof KvError error && error.code() instanceof KvErrorCode code) {
        return code;
      }
      throw e;
    }
    throw new AssertionError("no failure");
  }

  @ParameterizedTest
  @EnumSource
  void repeatsAfterFailuresWithoutAnEffect(Safety safety) {
    serve(request -> answer(request, requests.size() < 4 ? 503 : 200, ""));
    assertThat(get(retrying(safety, PATIENCE)).status()).isEqualTo(200);
    assertThat(requests).hasSize(4);
  }

  @ParameterizedTest
  @CsvSource({"REPEATABLE, 2", "CONDITIONAL, 2", "ONCE, 1"})
  void repeatsALostRequestByItsSafety(Safety safety, int expected) {
    serve(
        request -> {
          if (requests.size() == 1) {
            request.connection().close();
          } else {
            answer(request, 200, "");
          }
        });
    Mono<HttpAnswer> call = retrying(safety, PATIENCE);
    if (expected == 1) {
      assertThat(code(call)).isEqualTo(KvErrorCode.UNAVAILABLE);
    } else {
      assertThat(get(call).status()).isEqualTo(200);
    }
    assertThat(requests).hasSize(expected);
  }

  @ParameterizedTest
  @CsvSource({"REPEATABLE, CONFLICT", "CONDITIONAL, UNAVAILABLE"})
  void doesNotLetARefusalDenyAnEarlierAttempt(Safety safety, KvErrorCode expected) {
    serve(request -> answer(request, requests.size() == 1 ? 500 : 409, "what?"));
    assertThat(code(retrying(safety, PATIENCE))).isEqualTo(expected);
    assertThat(requests).hasSize(2);
  }

  @Test
  void endsWhenThePauseExceedsItsTime() {
    serve(
        request -> {
          request.response().putHeader("Retry-After", "30");
          answer(request, 429, "slowly");
        });
    assertThat(code(retrying(Safety.REPEATABLE, 29_000))).isEqualTo(KvErrorCode.OVERLOADED);
    assertThat(requests).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"REPEATABLE, CLOSED", "ONCE, UNAVAILABLE"})
  void endsPendingRequestsOnClose(Safety safety, KvErrorCode expected) throws Exception {
    CompletableFuture<Void> asked = new CompletableFuture<>();
    serve(request -> asked.complete(null));
    CompletableFuture<KvErrorCode> ended =
        CompletableFuture.supplyAsync(() -> code(retrying(safety, PATIENCE)));
    within(asked);
    transport.close().await();
    assertThat(within(ended)).isEqualTo(expected);
    assertThat(code(retrying(safety, PATIENCE))).isEqualTo(KvErrorCode.CLOSED);
  }

  @Test
  void endsPausesOnClose() throws Exception {
    CompletableFuture<Void> refused = new CompletableFuture<>();
    serve(
        request -> {
          request.response().putHeader("Retry-After", "30");
          request.response().setStatusCode(429).end().onSuccess(refused::complete);
        });
    CompletableFuture<KvErrorCode> ended =
        CompletableFuture.supplyAsync(() -> code(retrying(Safety.ONCE, PATIENCE)));
    within(refused);
    transport.close().await();
    assertThat(within(ended)).isIn(KvErrorCode.CLOSED, KvErrorCode.UNAVAILABLE);
  }
}
