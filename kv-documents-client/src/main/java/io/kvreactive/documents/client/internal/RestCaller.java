package io.kvreactive.documents.client.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.spi.DocumentMapper;
import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.ClientEventLoop;
import io.kvreactive.http.client.ClientVerticle;
import io.kvreactive.http.client.HttpAnswer;
import io.kvreactive.http.client.HttpCall;
import io.kvreactive.http.client.HttpCall.Limits;
import io.kvreactive.http.client.HttpCall.Safety;
import io.kvreactive.http.client.HttpTransport;
import io.kvreactive.http.client.ResponseCollector;
import io.kvreactive.http.client.RetryingCall;
import io.kvreactive.http.client.RetryingCall.Backoff;
import io.kvreactive.http.client.ServerAccess;
import io.kvreactive.http.client.ServerProblem;
import io.kvreactive.http.client.StreamPool;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.protocol.JsonForm;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.parsetools.RecordParser;
import java.net.URI;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The client of one database. Sends requests to its server, again where that is safe and useful:
 * see {@link RetryingCall}. Thread-safe. A request runs on the Vert.x context of its subscriber, if
 * there is one.
 */
final class RestCaller implements ClientVerticle.Client, StreamPool.Codec {
  private static final int MAX_ANSWER_BYTES = 73 << 20;

  /** Answers of more bytes are not parsed on an event loop. */
  private static final int LARGE_BYTES = 256 << 10;

  /** The limits of a request whose time is not limited: a silence of six minutes. */
  static final Limits ENDLESS = new Limits(MAX_ANSWER_BYTES, 0, 0, 360_000);

  /** The limits of a request whose answer may pause for any time: six minutes until its head. */
  static final Limits PAUSING = new Limits(MAX_ANSWER_BYTES, 360_000, 0, 0);

  private static final String JSON = "application/json";
  static final String NDJSON = "application/x-ndjson";

  private final ServerAccess server;
  private final DocumentMapper mapper;
  private final HttpTransport transport;
  private final StreamPool streams;
  private final Mono<Void> close;

  /**
   * Creates a client.
   *
   * @param close closes the connections; idempotent
   */
  RestCaller(
      Vertx vertx,
      ClientEventLoop loop,
      ServerAccess server,
      DocumentMapper mapper,
      Mono<Void> close) {
    this.server = server;
    this.mapper = mapper;
    this.transport =
        new HttpTransport(vertx, server.connectMillis(), HttpVersion.HTTP_1_1, server.tls());
    this.streams = new StreamPool(vertx, loop, server, transport, this);
    this.close = close;
  }

  StreamPool streams() {
    return streams;
  }

  DocumentMapper mapper() {
    return mapper;
  }

  Mono<Void> close() {
    return close;
  }

  @Override
  public Future<?> end() {
    return Future.join(transport.close(), streams.close()).otherwiseEmpty();
  }

  /** Emits what {@code reader} makes of an answer, on the subscriber's context. */
  static <T> Mono<T> read(Mono<HttpAnswer> source, Function<HttpAnswer, T> reader) {
    return SubscriberContext.ELASTIC
        .apply(source)
        .flatMap(
            answer ->
                answer.body().length() <= LARGE_BYTES || !Context.isOnEventLoopThread()
                    ? Mono.just(reader.apply(answer))
                    : SubscriberContext.ELASTIC.apply(
                        Mono.fromSupplier(() -> reader.apply(answer))
                            .subscribeOn(Schedulers.boundedElastic())));
  }

  /** Emits the message in an answer, on the subscriber's context. */
  <T> Mono<T> read(Mono<HttpAnswer> source, JsonForm<T> form) {
    return read(source, answer -> form.read(json(answer)));
  }

  JsonNode json(HttpAnswer answer) {
    return mapper.parse(answer.body().getBytes());
  }

  @Override
  public JsonNode parse(byte[] json) {
    return mapper.parse(json);
  }

  @Override
  public String text(JsonNode json) {
    return mapper.text(json);
  }

  @Override
  public AttemptFailure failure(ServerProblem problem) {
    return ProblemReader.of(problem, server.base());
  }

  /** Parses a line of an answer. Throws the error that it reports. */
  JsonNode line(byte[] json) {
    JsonNode line = mapper.parse(json);
    if (line.has("error")) {
      throw failure(ServerProblem.of(line.get("error"))).shown();
    }
    return line;
  }

  HttpCall get(String path) {
    return request(HttpMethod.GET, path, null, Safety.REPEATABLE);
  }

  HttpCall delete(String path) {
    return request(HttpMethod.DELETE, path, null, Safety.ONCE);
  }

  HttpCall send(HttpMethod method, String path, Buffer body, Safety safety) {
    return request(method, path, body, safety).with("Content-Type", JSON);
  }

  /**
   * Returns a request.
   *
   * @param path the path below that of the database, with the query
   */
  private HttpCall request(HttpMethod method, String path, @Nullable Buffer body, Safety safety) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap().add("Accept", JSON);
    if (server.token() != null) {
      headers.add("Authorization", "Bearer " + server.token());
    }
    Limits limits = new Limits(MAX_ANSWER_BYTES, 0, server.requestMillis(), 0);
    return new HttpCall(
        method, URI.create(server.base() + path), headers, body, limits, safety, true);
  }

  /** Returns a request with an answer of lines, without a limit of its time. */
  static HttpCall lines(HttpCall call) {
    return call.with("Accept", NDJSON).with(ENDLESS);
  }

  /** Sends a request and emits its answer of status 200 to 299. */
  Mono<HttpAnswer> call(HttpCall call) {
    return call(call, server.retryMillis());
  }

  /**
   * Sends a request like {@link #call(HttpCall)}.
   *
   * @param retryMillis the maximum time of all attempts
   */
  Mono<HttpAnswer> call(HttpCall call, long retryMillis) {
    return Mono.defer(() -> retrying(call, retryMillis).run(() -> attempt(call)));
  }

  private Mono<HttpAnswer> attempt(HttpCall call) {
    return transport
        .send(call)
        .flatMap(
            answer ->
                answer.status() < 300
                    ? Mono.just(answer)
                    : Mono.error(failure(ServerProblem.of(answer))));
  }

  private RetryingCall retrying(HttpCall call, long millis) {
    return new RetryingCall(transport, call.safety(), Backoff.DEFAULT, millis);
  }

  /**
   * Sends a request and emits the lines of JSON of its answer. If the subscriber is slow, lines
   * that a later one replaces are left out. The error in the last line is emitted as an error.
   * After the first line the request is not sent again.
   */
  Flux<JsonNode> progress(HttpCall call, Limits limits) {
    return Flux.defer(() -> lines(lines(call).with(limits), retrying(call, server.retryMillis())))
        .map(line -> line(line.getBytes()));
  }

  private Flux<Buffer> lines(HttpCall request, RetryingCall retrying) {
    AtomicBoolean hasEmitted = new AtomicBoolean();
    return Flux.<Buffer>create(
            sink -> sink.onCancel(transport.stream(request, new Lines(request, sink))::cancel),
            FluxSink.OverflowStrategy.LATEST)
        .doOnNext(line -> hasEmitted.set(true))
        .onErrorResume(
            AttemptFailure.class,
            failure ->
                hasEmitted.get()
                    ? Flux.error(retrying.shown(failure))
                    : retrying.next(failure).thenMany(Flux.defer(() -> lines(request, retrying))));
  }

  /** Emits the lines of a successful response, and collects any other. */
  private final class Lines extends ResponseCollector {
    private final HttpCall request;
    private final FluxSink<Buffer> sink;
    private @Nullable RecordParser split;

    Lines(HttpCall request, FluxSink<Buffer> sink) {
      super(
          request,
          answer -> {
            if (answer.status() < 300) {
              sink.complete();
            } else {
              sink.error(failure(ServerProblem.of(answer)));
            }
          },
          sink::error);
      this.request = request;
      this.sink = sink;
    }

    @Override
    public void head(int status, MultiMap headers) {
      super.head(status, headers);
      if (status < 300) {
        split = RecordParser.newDelimited("\n", sink::next);
        split.maxRecordSize(MAX_ANSWER_BYTES);
        split.exceptionHandler(
            tooLong -> {
              throw AttemptFailure.tooLarge(request);
            });
      }
    }

    @Override
    public void chunk(Buffer bytes) {
      if (split == null) {
        super.chunk(bytes);
      } else {
        split.handle(bytes);
      }
    }
  }
}
