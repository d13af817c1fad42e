package io.kvreactive.documents.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.BatchException;
import io.kvreactive.documents.DeleteProgress;
import io.kvreactive.documents.DocumentClientOptions;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.Item;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.QueryException;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.TransactionalBatch;
import io.kvreactive.documents.WriteOptions;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.SelfSignedCertificate;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Requests to a server whose answers the test determines. */
@ExtendWith(VertxExtension.class)
class RestCallerTest {
  record Order(String id, int total) {}

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Versionstamp ETAG = Versionstamp.of(7);
  private static final DocumentClientOptions PATIENT =
      DocumentClientOptions.DEFAULT
          .withConnectTimeout(TIMEOUT)
          .withRequestTimeout(TIMEOUT)
          .withRetryTime(TIMEOUT);

  /** Requests but those that open the client, such as "GET /api/v1/collections". */
  private final List<String> requests = new CopyOnWriteArrayList<>();

  private Consumer<HttpServerRequest> answerFirst =
      request -> refuse(request, 404, "COLLECTION_NOT_FOUND", "no such collection");

  private Vertx vertx;
  private HttpServer server;
  private DocumentStore store;
  private DocumentCollection<Order> orders;

  @BeforeEach
  void use(Vertx vertx) {
    this.vertx = vertx;
  }

  @AfterEach
  void close() {
    store.close().block(TIMEOUT);
    server.close().await();
  }

  private void connect(DocumentClientOptions options, Consumer<HttpServerRequest> handler) {
    connect("http", new HttpServerOptions(), options, handler);
  }

  private void connect(
      String scheme,
      HttpServerOptions serverOptions,
      DocumentClientOptions options,
      Consumer<HttpServerRequest> handler) {
    server =
        vertx
            .createHttpServer(serverOptions)
            .requestHandler(
                request -> {
                  if (request.path().equals("/db/x/api/v1/collections/-")) {
                    answerFirst.accept(request);
                    return;
                  }
                  requests.add(request.method() + " " + request.uri());
                  handler.accept(request);
                })
            .listen(0, "localhost")
            .await();
    String url = scheme + "://localhost:" + server.actualPort() + "/db/x/";
    store = get(DocumentStore.connect(vertx, url, options.withToken("secret")));
    orders = store.collection("orders", Order.class);
  }

  private static JsonObject problem(int status, String code, String detail) {
    return new JsonObject().put("status", status).put("code", code).put("detail", detail);
  }

  private static void refuse(HttpServerRequest request, int status, String code, String detail) {
    request.response().setStatusCode(status).end(problem(status, code, detail).toBuffer());
  }

  private static void answerItem(HttpServerRequest request) {
    request
        .response()
        .end(
            new JsonObject()
                .put("id", "a")
                .put("total", 5)
                .put("_etag", ETAG.toString())
                .put("_ts", 1)
                .toBuffer());
  }

  private static <T> T get(Mono<T> mono) {
    T value = mono.block(TIMEOUT);
    if (value == null) {
      throw new AssertionError("empty");
    }
    return value;
  }

  private static RuntimeException failure(Mono<?> call) {
    try {
      call.block(TIMEOUT);
    } catch (RuntimeException e) {
      return e;
    }
    throw new AssertionError("no failure");
  }

  private static KvError.Code code(Mono<?> call) {
    return ((KvError) failure(call)).code();
  }

  private Mono<?> call(String kind) {
    WriteOptions ifMatch = WriteOptions.DEFAULT.withIfMatch(ETAG);
    return switch (kind) {
      case "read" -> orders.read("a", PartitionKey.NONE);
      case "replace" -> orders.replace(new Order("a", 5), ifMatch);
      case "create" -> orders.create(new Order("a", 5), WriteOptions.DEFAULT);
      default -> throw new IllegalArgumentException(kind);
    };
  }

  @Test
  void sendsRequestsBelowTheAddressWithTheToken() {
    connect(
        PATIENT,
        request -> {
          assertThat(request.getHeader("Authorization")).isEqualTo("Bearer secret");
          assertThat(request.getHeader("Accept")).isEqualTo("application/json");
          answerItem(request);
        });
    Item<Order> item = get(orders.read("a/ä", PartitionKey.NONE));
    assertThat(item.value()).isEqualTo(new Order("a", 5));
    assertThat(item.etag()).isEqualTo(ETAG);
    get(call("replace"));
    assertThat(requests)
        .containsExactly(
            "GET /db/x/api/v1/collections/orders/items?id=%22a%2F%C3%A4%22",
            "PUT /db/x/api/v1/collections/orders/items?id=%22a%22");
  }

  @Test
  void usesHttp2OverTlsWithTheCertificatesOfTheOptions() {
    SelfSignedCertificate certificate = SelfSignedCertificate.create("localhost");
    List<HttpVersion> versions = new CopyOnWriteArrayList<>();
    connect(
        "https",
        new HttpServerOptions()
            .setSsl(true)
            .setUseAlpn(true)
            .setKeyCertOptions(certificate.keyCertOptions()),
        PATIENT.withTls(new ClientSSLOptions().setTrustOptions(certificate.trustOptions())),
        request -> {
          versions.add(request.version());
          answerItem(request);
        });
    get(call("read"));
    get(call("create"));
    assertThat(versions).containsExactly(HttpVersion.HTTP_2, HttpVersion.HTTP_2);
    assertThatThrownBy(
            () ->
                DocumentStore.connect(
                        vertx,
                        "https://localhost:" + server.actualPort(),
                        PATIENT.withTls(null).withRetryTime(Duration.ZERO))
                    .block(TIMEOUT))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.UNAVAILABLE));
  }

  @ParameterizedTest
  @CsvSource({"read, 2", "replace, 2", "create, 1"})
  void repeatsLostRequestsThatAreSafe(String kind, int expected) {
    connect(
        PATIENT,
        request -> {
          if (requests.size() == 1) {
            request.connection().close();
          } else {
            answerItem(request);
          }
        });
    if (expected == 1) {
      assertThat(code(call(kind))).isEqualTo(KvErrorCode.UNAVAILABLE);
    } else {
      get(call(kind));
    }
    assertThat(requests).hasSize(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"read", "replace", "create"})
  void repeatsAllRequestsThatHadNoEffect(String kind) {
    connect(
        PATIENT,
        request -> {
          switch (requests.size()) {
            case 1 -> refuse(request, 503, "OVERLOADED", "busy");
            case 2 -> refuse(request, 503, "GOING_AWAY", "soon");
            case 3 -> request.response().setStatusCode(429).end("slowly");
            default -> answerItem(request);
          }
        });
    get(call(kind));
    assertThat(requests).hasSize(4);
  }

  @Test
  void doesNotReportAConflictThatMayBeOneWithItself() {
    connect(
        PATIENT,
        request -> {
          if (requests.size() == 1) {
            request.connection().close();
          } else {
            refuse(request, 412, "ETAG_MISMATCH", "another etag");
          }
        });
    assertThat(code(call("replace"))).isEqualTo(KvErrorCode.UNAVAILABLE);
    assertThat(requests).hasSize(2);
  }

  @Test
  void failsAtOnceIfTheServerRequestsALongerPauseThanTheTime() {
    connect(
        PATIENT,
        request -> {
          request.response().putHeader("Retry-After", "3600"); // counts as 60 s
          refuse(request, 429, "RATE_LIMITED", "slowly");
        });
    assertThat(code(call("read"))).isEqualTo(KvErrorCode.OVERLOADED);
    assertThat(requests).hasSize(1);
  }

  @Test
  @Tag("long")
  void waitsForTheFirstAnswerAsLongAsForAConnection() {
    Consumer<HttpServerRequest> refusal = answerFirst;
    answerFirst = request -> vertx.setTimer(6_000, late -> refusal.accept(request));
    connect(PATIENT, RestCallerTest::answerItem);
    get(call("read"));
  }

  @Test
  void failsARequestThatIsNotAnsweredInTime() throws Exception {
    CompletableFuture<Void> closed = new CompletableFuture<>();
    connect(
        PATIENT.withRequestTimeout(Duration.ofSeconds(2)).withRetryTime(Duration.ZERO),
        request -> request.connection().closeHandler(closed::complete));
    assertThat(code(call("create"))).isEqualTo(KvErrorCode.UNAVAILABLE);
    if (!requests.isEmpty()) { // a slow machine may not have sent it
      closed.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }
  }

  @Test
  void resetsACancelledRequest() throws Exception {
    CompletableFuture<Void> asked = new CompletableFuture<>();
    CompletableFuture<Void> closed = new CompletableFuture<>();
    connect(
        PATIENT,
        request -> {
          request.connection().closeHandler(closed::complete);
          asked.complete(null);
        });
    var call = call("create").subscribe();
    asked.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    call.dispose();
    closed.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @CsvSource({"read, CLOSED", "create, UNAVAILABLE"})
  void endsPendingRequestsWhenTheClientIsClosed(String kind, KvErrorCode expected)
      throws Exception {
    CompletableFuture<Void> asked = new CompletableFuture<>();
    connect(PATIENT, request -> asked.complete(null));
    CompletableFuture<KvError.Code> ended = CompletableFuture.supplyAsync(() -> code(call(kind)));
    asked.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    store.close().block(TIMEOUT);
    assertThat(ended.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(expected);
    assertThat(code(call(kind))).isEqualTo(KvErrorCode.CLOSED);
  }

  @ParameterizedTest
  @CsvSource({
    "400, INVALID_ITEM, INVALID_ITEM",
    "400, BAD_REQUEST, INVALID_ARGUMENT",
    "404, NO_SUCH_DATABASE, COLLECTION_NOT_FOUND",
    "412, ETAG_MISMATCH, ETAG_MISMATCH",
  })
  void readsErrorsOfCollections(int status, String name, DocumentErrorCode expected) {
    connect(PATIENT, request -> refuse(request, status, name, "why"));
    assertThat(code(call("create"))).isEqualTo(expected);
    assertThat(requests).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "404, NOT_FOUND, UNSUPPORTED",
    "500, INTERNAL, INTERNAL",
    "500, CORRUPT, CORRUPT",
    "500, IO_FAILED, IO_FAILED",
    "507, DISK_FULL, DISK_FULL",
    "401, UNAUTHENTICATED, UNAUTHENTICATED",
    "400, OF_A_LATER_RELEASE, INTERNAL",
    "401, , UNAUTHENTICATED",
    "403, , FORBIDDEN",
    "404, , UNSUPPORTED",
    "413, , LIMIT_EXCEEDED",
    "502, , UNAVAILABLE",
  })
  void readsErrorsOfTheStoreAndOfOtherServers(int status, String name, KvErrorCode expected) {
    connect(
        PATIENT,
        request -> {
          if (name == null) {
            request.response().setStatusCode(status).end("<html>proxy</html>");
          } else {
            boolean retryable = expected.retryable();
            JsonObject problem = problem(status, name, "why").put("retryable", retryable);
            request.response().setStatusCode(status).end(problem.toBuffer());
          }
        });
    assertThat(code(call("create"))).isEqualTo(expected);
    assertThat(requests).hasSize(1);
  }

  @Test
  void readsThePlacesOfErrors() {
    JsonObject place =
        new JsonObject()
            .put("code", "SC1001")
            .put("location", new JsonObject().put("start", 3).put("end", 5))
            .put("missingIndex", new JsonArray().add("/total ASC"));
    connect(
        PATIENT,
        request ->
            request
                .response()
                .setStatusCode(400)
                .end(
                    request.path().endsWith("/query")
                        ? problem(400, "INVALID_QUERY", "what?")
                            .put("errors", new JsonArray().add(place))
                            .toBuffer()
                        : problem(409, "ITEM_EXISTS", "operation 1: item exists")
                            .put("failedOperation", 1)
                            .toBuffer()));
    assertThat(failure(orders.page(SqlQuery.of("SELECT"), Order.class)))
        .isInstanceOfSatisfying(
            QueryException.class, e -> assertThat(e.missingIndex()).containsExactly("/total ASC"));
    assertThat(
            failure(
                orders.execute(TransactionalBatch.of(PartitionKey.NONE).create(new Order("a", 1)))))
        .isInstanceOfSatisfying(
            BatchException.class,
            e -> {
              assertThat(e.code()).isEqualTo(DocumentErrorCode.ITEM_EXISTS);
              assertThat(e.detail()).doesNotContain("operation 1: operation 1");
            });
  }

  @Test
  void readsLinesAndTheErrorInTheLastOne() {
    connect(
        PATIENT,
        request -> {
          if (requests.size() == 1) {
            refuse(request, 503, "OVERLOADED", "busy");
            return;
          }
          assertThat(request.getHeader("Accept")).isEqualTo("application/x-ndjson");
          request.response().setChunked(true).write("{\"deleted\":1,\"elapsed");
          request.response().write("Ms\":2}\n");
          JsonObject last = new JsonObject().put("error", problem(507, "DISK_FULL", "no room"));
          request.response().end(last.encode() + "\n");
        });
    Flux<DeleteProgress> progress = orders.deleteMany(SqlQuery.of("SELECT * FROM c"));
    assertThat(code(progress.then())).isEqualTo(KvErrorCode.DISK_FULL);
    assertThat(requests).hasSize(2);
  }

  @Test
  void doesNotRepeatLinesThatWereLost() {
    connect(
        PATIENT,
        request ->
            request
                .response()
                .setChunked(true)
                .write("{\"deleted\":1}\n")
                .onComplete(written -> request.connection().close()));
    assertThat(code(orders.deleteMany(SqlQuery.of("SELECT * FROM c")).then()))
        .isEqualTo(KvErrorCode.UNAVAILABLE);
    assertThat(requests).hasSize(1);
  }
}
