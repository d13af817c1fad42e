package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.all;
import static io.kvreactive.documents.testkit.TestStore.await;
import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.documents.testkit.TestStore;
import io.kvreactive.testing.Tries;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Remote collections whose server rejects requests, or closes connections at critical moments. */
class RemoteFailuresTest {
  record Order(String id, int total) {}

  private static final String STREAM = "/api/v1/stream";

  private final List<String> seen = new CopyOnWriteArrayList<>();
  private final List<ItemChanges<Order>> commits = new CopyOnWriteArrayList<>();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private TestStore store;
  private DocumentCollection<Order> local;
  private DocumentServer server;
  private DocumentStore documents;
  private DocumentCollection<Order> orders;

  @BeforeEach
  void start() {
    store = TestStore.at(null);
    local =
        DocumentStore.over(store.kv())
            .collection("orders", Order.class, CollectionDefinition.DEFAULT);
    of(local.create(new Order("a", 1)));
  }

  @AfterEach
  void end() {
    orNull(documents.close());
    server.stop();
    store.close();
  }

  private void connect(DocumentClientOptions options, Consumer<Router> first) {
    server = new DocumentServer(store, first);
    documents = server.connect(options);
    orders = documents.collection("orders", Order.class);
  }

  private void follow(Flux<ItemChanges<Order>> feed) {
    feed.subscribe(commits::add, failure::set);
  }

  private static void refuse(RoutingContext context, int status, String code, String detail) {
    context
        .response()
        .setStatusCode(status)
        .putHeader("Content-Type", "application/problem+json")
        .putHeader("Retry-After", "60")
        .end(
            new JsonObject()
                .put("status", status)
                .put("code", code)
                .put("detail", detail)
                .encode());
  }

  private void refuseStreams(Router router) {
    router
        .route(STREAM)
        .handler(
            context -> {
              seen.add("stream");
              refuse(context, 429, "RATE_LIMITED", "too many requests");
            });
  }

  @Test
  void continuesAnIdleFeedAfterAnOutageBeyondTheRetryTime() {
    connect(DocumentClientOptions.DEFAULT.withRetryTime(Duration.ZERO), router -> {});
    follow(orders.changes(of(local.read("a")).etag()));
    assertThat(all(orders.query("SELECT * FROM c"))).hasSize(1); // on the WebSocket of the feed
    server.stop();
    server.start();
    of(local.create(new Order("b", 2)));
    await(() -> ids().contains("b") || failure.get() != null);
    assertThat(failure.get()).isNull();
  }

  private List<String> ids() {
    return commits.stream()
        .flatMap(commit -> commit.changes().stream())
        .map(ItemChanges.Change::id)
        .toList();
  }

  @Test
  void endsAPausedFeedWhenTheClientIsClosed() {
    connect(
        DocumentClientOptions.DEFAULT.withRetryTime(Duration.ofMinutes(5)), this::refuseStreams);
    follow(orders.changes(null));
    await(
        () -> { // a second WebSocket is opened after the first one was refused
          orders.query("SELECT * FROM c").subscribe(row -> {}, closed -> {});
          return seen.size() > 1;
        });
    orNull(documents.close());
    await(() -> failure.get() != null);
    assertThat(KvError.is(failure.get(), KvErrorCode.CLOSED)).isTrue();
  }

  @Test
  void doesNotOpenAStreamBeforeTheTimeTheServerNames() {
    connect(
        DocumentClientOptions.DEFAULT.withRetryTime(Duration.ofSeconds(30)), this::refuseStreams);
    follow(orders.changes(null));
    await(() -> failure.get() != null);
    assertThat(KvError.is(failure.get(), KvErrorCode.OVERLOADED)).isTrue();
    assertThat(seen).hasSize(1);
  }

  /** Answers the first message of each WebSocket and closes it at once. */
  private void answerAndClose(Router router, int times, String answer) {
    router
        .route(STREAM)
        .handler(
            context -> {
              seen.add("stream");
              if (seen.size() > times) {
                context.next();
                return;
              }
              context
                  .request()
                  .toWebSocket()
                  .onSuccess(
                      socket ->
                          socket.textMessageHandler(
                              message -> {
                                long id = new JsonObject(message).getLong("id");
                                socket.writeTextMessage("{\"id\":" + id + "," + answer + "}");
                                socket.close();
                              }));
            });
  }

  @Test
  void opensFeedsOnceAfterErrorsAndALostConnection() {
    int feeds = 100;
    List<Long> opened = new CopyOnWriteArrayList<>();
    String busy = "\"type\":\"error\",\"status\":503,\"code\":\"OVERLOADED\",\"detail\":\"busy\"";
    connect(
        DocumentClientOptions.DEFAULT,
        router ->
            router
                .route(STREAM)
                .handler(
                    context -> {
                      seen.add("stream");
                      if (seen.size() > 1) {
                        context.next();
                        return;
                      }
                      context
                          .request()
                          .toWebSocket()
                          .onSuccess(
                              socket ->
                                  socket.textMessageHandler(
                                      message -> {
                                        opened.add(new JsonObject(message).getLong("id"));
                                        if (opened.size() == feeds) {
                                          for (Long id : opened) {
                                            socket.writeTextMessage(
                                                "{\"id\":" + id + "," + busy + "}");
                                          }
                                          socket.close();
                                        }
                                      }));
                    }));
    for (int i = 0; i < feeds; i++) {
      follow(orders.changes(of(local.read("a")).etag()));
    }
    await(() -> opened.size() == feeds);
    of(local.create(new Order("b", 1)));
    of(local.create(new Order("last", 2)));
    await(() -> Collections.frequency(ids(), "last") >= feeds);
    assertThat(ids()).hasSize(2 * feeds);
    assertThat(failure.get()).isNull();
  }

  @Test
  void completesAQueryWhoseConnectionIsLostAfterItsEnd() {
    int queries = Tries.of(20, 50);
    connect(
        DocumentClientOptions.DEFAULT,
        router -> answerAndClose(router, queries, "\"type\":\"end\""));
    for (int i = 0; i < queries; i++) {
      assertThat(all(orders.query("SELECT * FROM c"))).isEmpty();
    }
    assertThat(seen).hasSize(queries);
    assertThat(all(orders.query("SELECT * FROM c"))).hasSize(1);
  }

  private void assertRefused(KvError.Code code, Flux<?> call) {
    assertThatThrownBy(() -> call.blockLast(Duration.ofSeconds(60)))
        .isInstanceOfSatisfying(
            RuntimeException.class, e -> assertThat(((KvError) e).code()).isEqualTo(code));
    assertThat(seen).hasSize(1);
  }

  @Test
  void doesNotRepeatALoadThatHasStoredItems() {
    connect(
        DocumentClientOptions.DEFAULT,
        router ->
            router
                .post("/api/v1/collections/orders/load")
                .handler(
                    context -> {
                      seen.add("load");
                      refuse(context, 503, "OVERLOADED", "from line 4 on: busy; items stored: 3");
                    }));
    assertRefused(
        KvErrorCode.OVERLOADED, orders.load(Flux.range(0, 9).map(i -> new Order("b" + i, i))));
  }

  @Test
  void doesNotRepeatAReadThatMeetsADefect() {
    connect(
        DocumentClientOptions.DEFAULT,
        router ->
            router
                .get("/api/v1/collections/orders/changes")
                .handler(
                    context -> {
                      seen.add("changes");
                      refuse(context, 500, "INTERNAL", "a defect of the server");
                    }));
    assertRefused(KvErrorCode.INTERNAL, orders.changePage(ChangeFeedOptions.ALL, 10).flux());
  }

  @Test
  void repeatsADeletionThatHasNotBegun() {
    connect(
        DocumentClientOptions.DEFAULT,
        router ->
            router
                .post("/api/v1/collections/orders/delete")
                .handler(
                    context -> {
                      seen.add("delete");
                      if (seen.size() > 1) {
                        context.next();
                      } else {
                        refuse(context, 503, "OVERLOADED", "busy");
                      }
                    }));
    List<DeleteProgress> progress = all(orders.deleteMany(SqlQuery.of("SELECT * FROM c")));
    assertThat(progress.get(progress.size() - 1).deleted()).isEqualTo(1);
    assertThat(seen).hasSize(2);
  }

  @Test
  void reportsTheMissingIndexOfAQuery() {
    connect(DocumentClientOptions.DEFAULT, router -> {});
    String sql = "SELECT * FROM c ORDER BY c.total, c.id";
    for (Flux<?> failing :
        List.of(orders.query(sql), orders.page(SqlQuery.of(sql), Order.class).flux())) {
      assertThatThrownBy(() -> failing.blockLast(Duration.ofSeconds(60)))
          .isInstanceOfSatisfying(
              QueryException.class,
              e -> assertThat(e.missingIndex()).containsExactly("/total ASC", "/id ASC"));
    }
  }

  @Test
  void failsToConnectToAServerThatDoesNotAnswer() {
    connect(DocumentClientOptions.DEFAULT, router -> {});
    DocumentServer silent =
        new DocumentServer(store, router -> router.route().handler(context -> seen.add("probe")));
    try {
      assertRefused(
          KvErrorCode.UNAVAILABLE,
          DocumentStore.connect(
                  store.vertx(),
                  silent.url(),
                  DocumentClientOptions.DEFAULT.withRequestTimeout(Duration.ofMinutes(10)))
              .flux());
    } finally {
      silent.stop();
    }
  }

  @Test
  void closesAClientWhoseConnectingIsCancelled() {
    server = new DocumentServer(store);
    Set<String> before = Set.copyOf(store.vertx().deploymentIDs());
    DocumentStore.connect(store.vertx(), server.url(), DocumentClientOptions.DEFAULT)
        .subscribe()
        .dispose();
    documents = server.connect();
    orNull(documents.close());
    await(() -> store.vertx().deploymentIDs().equals(before));
  }
}
