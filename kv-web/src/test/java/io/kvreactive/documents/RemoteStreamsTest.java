package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.all;
import static io.kvreactive.documents.testkit.TestStore.await;
import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.LoadProgress;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.testkit.TestStore;
import io.kvreactive.web.NearbyPlaces;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.rest.Rest;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Queries, streams, batches and loads over a connection, also if the server is killed. */
class RemoteStreamsTest {
  record Order(String id, String customer, int total) {}

  private static final CollectionDefinition BY_CUSTOMER =
      CollectionDefinition.DEFAULT.withPartitionKey("/customer");

  private TestStore store;
  private DocumentServer server;
  private DocumentStore documents;
  private DocumentCollection<Order> orders;
  private DocumentCollection<Order> local; // the same collection, without a connection

  @BeforeEach
  void start() {
    store = TestStore.at(null);
    server = new DocumentServer(store);
    documents = server.connect();
    orders = documents.collection("orders", Order.class, BY_CUSTOMER);
    local = DocumentStore.over(store.kv()).collection("orders", Order.class, BY_CUSTOMER);
  }

  @AfterEach
  void end() {
    orNull(documents.close());
    server.stop();
    store.close();
  }

  private void fill(int count) {
    List<LoadProgress> progress =
        all(orders.load(Flux.range(0, count).map(i -> new Order("o" + i, "c" + i % 3, i))));
    assertThat(progress.get(progress.size() - 1).entries()).isEqualTo(count);
  }

  private static void assertCode(KvError.Code code, Publisher<?> publisher) {
    assertThatThrownBy(() -> Flux.from(publisher).blockLast(Duration.ofSeconds(60)))
        .isInstanceOfSatisfying(
            RuntimeException.class,
            e -> assertThat(((KvError) e).code()).as(e.getMessage()).isEqualTo(code));
  }

  /** Collects elements, and requests only as many as the test does. */
  private static final class Collector<T> extends BaseSubscriber<T> {
    final List<T> elements = new CopyOnWriteArrayList<>();
    final AtomicReference<Throwable> failure = new AtomicReference<>();
    volatile boolean completed;

    @Override
    protected void hookOnSubscribe(Subscription subscription) {}

    @Override
    protected void hookOnNext(T element) {
      elements.add(element);
    }

    @Override
    protected void hookOnError(Throwable e) {
      failure.set(e);
    }

    @Override
    protected void hookOnComplete() {
      completed = true;
    }
  }

  private static <T> Collector<T> collect(Flux<T> flux, long demand) {
    Collector<T> collector = new Collector<>();
    flux.subscribe(collector);
    collector.request(demand);
    return collector;
  }

  @Test
  void queriesAsEmbeddedCollectionsDo() {
    fill(1000);
    SqlQuery query =
        SqlQuery.of("SELECT * FROM c WHERE c.total < @max", Map.of("max", 30))
            .withOptions(QueryOptions.DEFAULT.withPartitionKey(PartitionKey.of("c1")));
    assertThat(all(orders.query(query, Order.class)))
        .isEqualTo(all(local.query(query, Order.class)))
        .hasSize(10);
    assertThat(all(orders.query("SELECT * FROM c"))).hasSize(1000);
    assertThat(all(orders.list(PartitionKey.of("c0"))))
        .isEqualTo(all(local.list(PartitionKey.of("c0"))));
    assertThat(of(orders.explain(query)).toString()).isEqualTo(of(local.explain(query)).toString());
    assertThat(
            all(
                orders.query(
                    SqlQuery.of("SELECT VALUE COUNT(1) FROM c")
                        .withOptions(QueryOptions.DEFAULT.withForceScan(true)),
                    Integer.class)))
        .containsExactly(1000);
  }

  @Test
  void readsPagesWithContinuations() {
    fill(250);
    SqlQuery query = SqlQuery.of("SELECT VALUE c.total FROM c ORDER BY c.total");
    List<Integer> rows = new ArrayList<>();
    String continuation = "";
    do {
      QueryPage<Integer> page =
          of(
              orders.page(
                  query.withOptions(
                      QueryOptions.DEFAULT.withMaxItemCount(100).withContinuation(continuation)),
                  Integer.class));
      rows.addAll(page.items());
      continuation = page.continuation();
    } while (continuation != null);
    assertThat(rows).isEqualTo(Flux.range(0, 250).collectList().block());
  }

  @Test
  void emitsRowsOnDemandOnly() {
    fill(1000);
    Collector<Order> rows = collect(orders.query("SELECT * FROM c"), 3);
    await(() -> rows.elements.size() == 3);
    of(orders.read("o1", PartitionKey.of("c1"))); // a later answer of the same server
    assertThat(rows.elements).hasSize(3);
    rows.request(997);
    await(() -> rows.completed);
    assertThat(rows.elements).hasSize(1000).doesNotHaveDuplicates();
  }

  enum Kind {
    QUERY,
    WATCHED_QUERY,
    CHANGE_FEED
  }

  record Text(String id, String text) {}

  private static Flux<String> ids(Kind kind, DocumentCollection<Text> texts) {
    return switch (kind) {
      case QUERY -> texts.query("SELECT * FROM c").map(Text::id);
      case WATCHED_QUERY ->
          texts
              .watchQuery(SqlQuery.of("SELECT * FROM c"), Text.class)
              .ofType(QueryUpdate.Insert.class)
              .map(QueryUpdate.Insert::id);
      case CHANGE_FEED ->
          texts
              .changeFeed(ChangeFeedOptions.ALL.withSince(Versionstamp.ZERO))
              .concatMapIterable(ItemChanges::changes)
              .map(ItemChanges.Change::id);
    };
  }

  @ParameterizedTest
  @EnumSource
  void receivesFewBytesForASlowSubscriber(Kind kind) throws Exception {
    int items = 60;
    try (CountingProxy proxy = CountingProxy.to(store.vertx(), server.url())) {
      DocumentStore client =
          of(DocumentStore.connect(store.vertx(), proxy.url(), DocumentClientOptions.DEFAULT));
      DocumentCollection<Text> texts =
          client.collection("texts", Text.class, CollectionDefinition.DEFAULT);
      for (int i = 0; i < items; i++) {
        of(texts.upsert(new Text("t" + i, i + "x".repeat(200_000))).then(Mono.just(i)));
      }
      long before = proxy.bytes();
      CountDownLatch goOn = new CountDownLatch(1);
      List<String> seen = new CopyOnWriteArrayList<>();
      Disposable slow =
          ids(kind, texts)
              .doOnNext(
                  id -> {
                    seen.add(id);
                    try {
                      goOn.await();
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    }
                  })
              .subscribe();
      await(() -> proxy.bytes() - before > 4 << 20);
      for (int i = 0; i < 10; i++) { // other streams of the connection go on
        assertThat(all(texts.query(SqlQuery.of("SELECT VALUE COUNT(1) FROM c"), Integer.class)))
            .containsExactly(items);
      }
      assertThat(proxy.bytes() - before).isLessThan(5 << 20);
      assertThat(seen).hasSize(1);
      goOn.countDown();
      await(() -> seen.size() == items); // more than twice the limit
      assertThat(seen).doesNotHaveDuplicates();
      slow.dispose();
      orNull(client.close());
    }
  }

  @Test
  void releasesCancelledQueries() {
    fill(300);
    for (int i = 0; i < 40; i++) { // a connection accepts 32 unfinished queries
      Collector<Order> rows = collect(orders.query("SELECT * FROM c"), 1);
      await(() -> rows.elements.size() == 1);
      rows.cancel();
    }
    assertThat(all(orders.query("SELECT * FROM c"))).hasSize(300);
  }

  @Test
  void runsMoreQueriesThanAConnectionTakes() {
    fill(300);
    List<Collector<Order>> open = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      open.add(collect(orders.query("SELECT * FROM c"), 1));
    }
    await(() -> open.stream().allMatch(rows -> rows.elements.size() == 1));
    open.forEach(rows -> rows.request(Long.MAX_VALUE));
    await(() -> open.stream().allMatch(rows -> rows.completed && rows.elements.size() == 300));
  }

  @Test
  void failsAQueryWhoseServerDies() {
    fill(1000);
    Collector<Order> rows = collect(orders.query("SELECT * FROM c"), 10);
    await(() -> rows.elements.size() == 10);
    server.stop();
    await(() -> rows.failure.get() != null);
    assertThat(KvError.is(rows.failure.get(), KvErrorCode.UNAVAILABLE)).isTrue();
    server.start();
    assertThat(all(orders.query("SELECT * FROM c"))).hasSize(1000);
  }

  @Test
  void repeatsReadsUntilTheServerIsBack() {
    fill(10);
    server.stop();
    Collector<Item<Order>> item = collect(orders.read("o1", PartitionKey.of("c1")).flux(), 1);
    Collector<Order> rows = collect(orders.query("SELECT * FROM c"), Long.MAX_VALUE);
    server.start();
    await(() -> item.elements.size() == 1 && rows.elements.size() == 10);
  }

  @Test
  void continuesAFeedWithoutGapsAfterARestart() {
    fill(10);
    Collector<ItemChanges<Order>> feed =
        collect(
            orders.changeFeed(ChangeFeedOptions.ALL.withSince(Versionstamp.ZERO)), Long.MAX_VALUE);
    await(() -> ids(feed).size() == 10);
    server.stop();
    of(local.create(new Order("x", "c0", 1)));
    of(local.delete("x", PartitionKey.of("c0"), WriteOptions.DEFAULT));
    server.start();
    await(() -> ids(feed).size() == 12);
    of(orders.create(new Order("y", "c0", 1)));
    await(() -> ids(feed).size() == 13);
    assertThat(ids(feed)).endsWith("x", "x", "y");
    assertThat(feed.failure.get()).isNull();
    feed.cancel();
  }

  private static List<String> ids(Collector<ItemChanges<Order>> feed) {
    return feed.elements.stream()
        .flatMap(commit -> commit.changes().stream())
        .map(ItemChanges.Change::id)
        .toList();
  }

  @Test
  void emitsCommitsOnDemandOnly() {
    for (int i = 0; i < 5; i++) {
      of(orders.create(new Order("o" + i, "c0", i)));
    }
    Collector<ItemChanges<Order>> feed =
        collect(orders.changeFeed(ChangeFeedOptions.LATEST.withSince(Versionstamp.ZERO)), 2);
    await(() -> feed.elements.size() == 2);
    of(orders.read("o1", PartitionKey.of("c0")));
    assertThat(feed.elements).hasSize(2);
    feed.request(100);
    await(() -> ids(feed).size() == 5);
    feed.cancel();
  }

  @Test
  void readsPagesOfChanges() {
    fill(100);
    of(orders.delete("o1", PartitionKey.of("c1"), WriteOptions.DEFAULT));
    ChangeFeedOptions options = ChangeFeedOptions.ALL.withSince(Versionstamp.ZERO);
    ChangePage<Order> first = of(orders.changePage(options, 60));
    ChangePage<Order> rest = of(orders.changePage(options.withSince(first.continuation()), 1000));
    assertThat(first).isEqualTo(of(local.changePage(options, 60)));
    assertThat(first.hasMore()).isTrue();
    assertThat(rest).isEqualTo(of(local.changePage(options.withSince(first.continuation()), 1000)));
    assertThat(rest.hasMore()).isFalse();
  }

  @Test
  void emitsTheDifferenceOfAWatchedQueryAfterARestart() {
    for (int i = 0; i < 3; i++) {
      of(orders.create(new Order("o" + i, "c0", i)));
    }
    Collector<QueryUpdate<Order>> live =
        collect(
            orders.watchQuery(SqlQuery.of("SELECT * FROM c WHERE c.total < 100"), Order.class),
            Long.MAX_VALUE);
    await(() -> live.elements.size() == 4);
    assertThat(live.elements.get(3)).isInstanceOf(QueryUpdate.Synced.class);
    server.stop();
    of(local.upsert(new Order("o0", "c0", 50)));
    of(local.upsert(new Order("o1", "c0", 500)));
    of(local.create(new Order("o3", "c0", 3)));
    server.start();
    await(() -> live.elements.size() == 7);
    assertThat(live.elements.subList(4, 7))
        .anyMatch(e -> e instanceof QueryUpdate.Update<Order> u && u.row().total() == 50)
        .anyMatch(e -> e instanceof QueryUpdate.Remove<Order> r && r.id().equals("o1"))
        .anyMatch(e -> e instanceof QueryUpdate.Insert<Order> i && i.id().equals("o3"));
    of(orders.delete("o3", PartitionKey.of("c0"), WriteOptions.DEFAULT));
    await(() -> live.elements.size() == 8);
    assertThat(live.elements.get(7))
        .isInstanceOfSatisfying(QueryUpdate.Remove.class, r -> assertThat(r.id()).isEqualTo("o3"));
    live.cancel();
  }

  @Test
  void executesBatches() {
    of(orders.create(new Order("a", "c0", 1)));
    BatchResult<Order> result =
        of(
            orders.execute(
                TransactionalBatch.of(PartitionKey.of("c0"))
                    .create(new Order("b", "c0", 2))
                    .read("a")
                    .patch("a", new PatchOperation.Increment("/total", 5))
                    .replace(new Order("b", "c0", 9))
                    .delete("b")));
    assertThat(result.results())
        .extracting(BatchResult.Result::outcome)
        .containsExactly(
            BatchResult.Outcome.CREATED,
            BatchResult.Outcome.READ,
            BatchResult.Outcome.REPLACED,
            BatchResult.Outcome.REPLACED,
            BatchResult.Outcome.DELETED);
    assertThat(of(orders.read("a", PartitionKey.of("c0"))).value().total()).isEqualTo(6);
    assertThatThrownBy(
            () ->
                of(
                    orders.execute(
                        TransactionalBatch.of(PartitionKey.of("c0"))
                            .delete("a")
                            .create(new Order("a", "c0", 1))
                            .read("none"))))
        .isInstanceOfSatisfying(
            BatchException.class,
            e -> {
              assertThat(e.failedOperation()).isEqualTo(2);
              assertThat(e.code()).isEqualTo(DocumentErrorCode.ITEM_NOT_FOUND);
            });
    assertThat(of(orders.read("a", PartitionKey.of("c0"))).value().total()).isEqualTo(6);
  }

  @Test
  void reportsThePositionOfAnItemThatCannotBeStored() {
    assertThatThrownBy(
            () ->
                all(
                    orders.load(
                        Flux.range(0, 20).map(i -> new Order(i == 14 ? "a/b" : "o" + i, "c0", i)))))
        .isInstanceOfSatisfying(
            LoadException.class,
            e -> {
              assertThat(e.position()).isEqualTo(15);
              assertThat(e.code()).isEqualTo(DocumentErrorCode.INVALID_ITEM);
            });
    assertThat(all(orders.query("SELECT * FROM c"))).hasSize(14);
  }

  @Test
  void deletesWhatAQueryFinds() {
    fill(100);
    List<DeleteProgress> progress =
        all(orders.deleteMany(SqlQuery.of("SELECT * FROM c WHERE c.total >= 40")));
    assertThat(progress.get(progress.size() - 1).deleted()).isEqualTo(60);
    assertThat(of(orders.deleteAll(PartitionKey.of("c0")))).isEqualTo(14);
    assertThat(all(local.query("SELECT * FROM c"))).hasSize(26);
  }

  @Test
  void changesDefinitionsWithProgress() {
    fill(500);
    IndexingPolicy none =
        Definitions.parsePolicy("{\"indexingMode\":\"none\",\"automatic\":false}");
    all(orders.replaceDefinition(BY_CUSTOMER.withIndexingPolicy(none)));
    assertThat(of(orders.info()).definition().indexingPolicy()).isEqualTo(none);
    List<TransformationProgress> built = all(orders.replaceDefinition(BY_CUSTOMER));
    assertThat(built.get(built.size() - 1).isComplete()).isTrue();
    assertThat(of(orders.info())).isEqualTo(of(local.info()));
    assertThat(of(orders.sizes())).isEqualTo(of(local.sizes()));
    assertCode(
        DocumentErrorCode.COLLECTION_NOT_FOUND,
        documents.collection("none", Order.class).replaceDefinition(BY_CUSTOMER));
    assertThat(orNull(documents.describe("none"))).isNull();
  }

  @Test
  void indexesALazyCollectionLater() {
    IndexingPolicy lazy = IndexingPolicy.DEFAULT.withIndexingMode(IndexingMode.LAZY);
    DocumentCollection<Order> later =
        documents.collection("lazy", Order.class, BY_CUSTOMER.withIndexingPolicy(lazy));
    of(later.load(Flux.range(0, 500).map(i -> new Order("o" + i, "c" + i % 7, i))).last());
    assertThat(of(later.read("o8", PartitionKey.of("c1"))).value().total()).isEqualTo(8);
    SqlQuery query = SqlQuery.of("SELECT * FROM c WHERE c.total >= 400");
    await(() -> of(later.explain(query)).plan().path("indexLag").asLong(1) == 0);
    assertThat(all(later.query(query, Order.class))).hasSize(100);
    all(later.replaceDefinition(BY_CUSTOMER));
    assertThat(of(later.explain(query)).plan().has("indexLag")).isFalse();
  }

  @Test
  void returnsTheStateOfVectorIndexes() {
    CollectionDefinition vectors =
        Definitions.parse(
            """
            {"indexingPolicy": {"includedPaths": [{"path": "/*"}], "excludedPaths": [{"path": "/v/*"}],
              "vectorIndexes": [{"path": "/v", "type": "diskANN"}]},
             "vectorEmbeddingPolicy": {"vectorEmbeddings": [{"path": "/v", "dataType": "float32",
              "dimensions": 2, "distanceFunction": "cosine"}]}}""");
    DocumentCollection<ObjectNode> remote =
        documents.collection("vectors", ObjectNode.class, vectors);
    ObjectNode item = JsonNodeFactory.instance.objectNode().put("id", "a");
    item.putArray("v").add(1).add(2);
    of(remote.create(item));
    CollectionSizes sizes = of(remote.sizes());
    assertThat(sizes.indexes())
        .filteredOn(index -> index.index().startsWith("vector#"))
        .singleElement()
        .satisfies(
            index -> {
              assertThat(index.entries()).isEqualTo(1);
              assertThat(index.ready()).isFalse();
              assertThat(index.vectorsInMemory()).isZero();
            });
    assertThat(sizes.indexes())
        .filteredOn(index -> index.index().startsWith("range:"))
        .isNotEmpty()
        .allSatisfy(index -> assertThat(index.ready()).isNull());
  }

  @Test
  void listsCreatesAndDropsCollections() {
    of(documents.create("b.c", CollectionDefinition.DEFAULT));
    assertCode(
        DocumentErrorCode.COLLECTION_EXISTS, documents.create("b.c", CollectionDefinition.DEFAULT));
    assertCode(
        DocumentErrorCode.COLLECTION_EXISTS,
        documents.collection("b.c", Order.class, BY_CUSTOMER).read("a", PartitionKey.of("x")));
    assertThat(all(documents.collections())).extracting(CollectionInfo::name).contains("b.c");
    assertThat(of(documents.drop("b.c"))).isTrue();
    assertThat(of(documents.drop("b.c"))).isFalse();
    assertCode(
        DocumentErrorCode.COLLECTION_NOT_FOUND,
        documents.collection("b.c", ObjectNode.class).query("SELECT * FROM c"));
  }

  @Test
  void reportsThePositionOfAnErrorInAQuery() {
    fill(1);
    for (Publisher<?> failing :
        List.of(
            orders.query("SELECT * FROM c WHERE FOO(1)"),
            orders.page(SqlQuery.of("SELECT * FROM c WHERE FOO(1)"), Order.class))) {
      assertThatThrownBy(() -> Flux.from(failing).blockLast())
          .isInstanceOfSatisfying(
              QueryException.class,
              e -> {
                assertThat(e.code()).isEqualTo(DocumentErrorCode.INVALID_QUERY);
                assertThat(e.start()).isEqualTo(22);
              });
    }
  }

  @Test
  void rejectsWhatTheServerDoesNotHave() {
    assertCode(
        KvErrorCode.UNSUPPORTED,
        orders.query(
            SqlQuery.of("SELECT * FROM c")
                .withOptions(QueryOptions.DEFAULT.withMemoryBytes(1 << 20)),
            Order.class));
    Item<Order> old = of(orders.create(new Order("a", "c0", 1)));
    assertCode(
        KvErrorCode.UNSUPPORTED,
        orders.execute(
            TransactionalBatch.of(PartitionKey.of("c0"))
                .with(
                    new BatchOperation.Create(
                        new Order("b", "c0", 1), WriteOptions.ifMatch(old.etag())))));
  }

  @Test
  void emitsOnTheContextOfTheSubscriber() {
    fill(10);
    Vertx vertx = store.vertx();
    for (Publisher<?> source :
        List.of(
            orders.read("o1", PartitionKey.of("c1")),
            orders.query("SELECT * FROM c"),
            orders.changePage(ChangeFeedOptions.ALL.withSince(Versionstamp.ZERO), 10))) {
      Boolean same =
          Mono.<Boolean>create(
                  sink ->
                      vertx.runOnContext(
                          begin -> {
                            Context own = Vertx.currentContext();
                            Flux.from(source)
                                .all(element -> Vertx.currentContext() == own)
                                .subscribe(sink::success, sink::error);
                          }))
              .block(Duration.ofSeconds(60));
      assertThat(same).isTrue();
    }
  }

  @Test
  void emitsOnAnElasticThreadWithoutAContext() {
    fill(1);
    for (Mono<?> call :
        List.of(
            orders.read("o1", PartitionKey.of("c1")),
            orders.create(new Order("o9", "c9", 9), WriteOptions.ifMatch(Versionstamp.ZERO)))) {
      Mono<String> thread = Mono.fromSupplier(() -> Thread.currentThread().getName());
      assertThat(call.then(thread).onErrorResume(failed -> thread).block(Duration.ofSeconds(60)))
          .startsWith("boundedElastic-");
    }
  }

  @Test
  void endsStreamsAndCallsWhenTheClientIsClosed() {
    fill(10);
    Collector<ItemChanges<Order>> feed = collect(orders.changes(null), 10);
    await(() -> !feed.elements.isEmpty());
    orNull(documents.close());
    await(() -> feed.failure.get() != null);
    assertThat(KvError.is(feed.failure.get(), KvErrorCode.CLOSED)).isTrue();
    assertCode(KvErrorCode.CLOSED, orders.read("o1", PartitionKey.of("c1")));
    assertCode(KvErrorCode.CLOSED, orders.query("SELECT * FROM c"));
    assertThat(all(local.query("SELECT * FROM c"))).hasSize(10);
  }

  @Test
  void doesNotRepeatAWriteOfUnknownOutcome() {
    List<String> seen = new CopyOnWriteArrayList<>();
    DocumentServer cutting =
        new DocumentServer(
            store,
            router ->
                router
                    .post("/api/v1/collections/orders/items")
                    .handler(
                        context -> {
                          seen.add(context.request().method().name());
                          context.request().connection().close();
                        }));
    DocumentStore client = cutting.connect();
    try {
      of(orders.create(new Order("a", "c0", 1)));
      assertCode(
          KvErrorCode.UNAVAILABLE,
          client.collection("orders", Order.class).create(new Order("b", "c0", 1)));
      assertThat(seen).hasSize(1);
    } finally {
      orNull(client.close());
      cutting.stop();
    }
  }

  @Test
  void reportsAConflictAfterAnUnknownOutcomeAsUnknown() {
    List<String> seen = new CopyOnWriteArrayList<>();
    Item<Order> first = of(orders.create(new Order("a", "c0", 1)));
    DocumentServer cutting =
        new DocumentServer(
            store,
            router ->
                router
                    .put("/api/v1/collections/orders/items")
                    .handler(
                        context -> {
                          seen.add("PUT");
                          if (seen.size() > 1) {
                            context.next();
                          } else {
                            // the write takes effect, but its answer is lost
                            local
                                .replace(new Order("a", "c0", 2))
                                .subscribe(done -> context.request().connection().close());
                          }
                        }));
    DocumentStore client = cutting.connect();
    try {
      assertCode(
          KvErrorCode.UNAVAILABLE,
          client
              .collection("orders", Order.class)
              .replace(new Order("a", "c0", 2), WriteOptions.ifMatch(first.etag())));
      assertThat(seen).hasSize(2);
      assertThat(of(orders.read("a", PartitionKey.of("c0"))).value().total()).isEqualTo(2);
    } finally {
      orNull(client.close());
      cutting.stop();
    }
  }

  @Test
  void reportsWrongTokensAndAddresses() {
    Vertx vertx = store.vertx();
    try (TestServer secured = TestServer.start(vertx)) {
      String url = secured.server().uri().toString();
      assertCode(
          KvErrorCode.UNAUTHENTICATED,
          DocumentStore.connect(
              vertx, url, DocumentClientOptions.token("wrong-token-of-16-chars")));
      DocumentStore allowed =
          of(DocumentStore.connect(vertx, url, DocumentClientOptions.token(TestServer.TOKEN)));
      assertThat(all(allowed.collections())).isEmpty();
      of(
          allowed
              .collection("a", Order.class, CollectionDefinition.DEFAULT)
              .create(new Order("a", "b", 1)));
      assertThat(all(allowed.collection("a", Order.class).query("SELECT * FROM c"))).hasSize(1);
      orNull(allowed.close());
    }
    assertCode(
        KvErrorCode.INVALID_ARGUMENT,
        DocumentStore.connect(vertx, "ftp://here", DocumentClientOptions.DEFAULT));
    assertCode(
        KvErrorCode.UNAVAILABLE,
        DocumentStore.connect(
            vertx,
            "http://127.0.0.1:1",
            DocumentClientOptions.DEFAULT.withRetryTime(Duration.ZERO)));
    assertThat(DocumentClientOptions.token("secret-of-the-user").toString())
        .doesNotContain("secret");
  }

  @Test
  void queriesSpatialAndVectorIndexes() throws Exception {
    NearbyPlaces.check(
        new NearbyPlaces.Surface() {
          private final DocumentCollection<JsonNode> places =
              documents.collection(NearbyPlaces.NAME, JsonNode.class);

          @Override
          public void create(String definition) {
            of(documents.create(NearbyPlaces.NAME, Definitions.parse(definition)));
          }

          @Override
          public void put(String item) {
            of(places.create(Rest.json(item)));
          }

          @Override
          public List<String> ids(String sql, String parameter, String value) {
            return all(places.query(query(sql, parameter, value), String.class));
          }

          @Override
          public JsonNode explain(String sql, String parameter, String value) {
            return of(places.explain(query(sql, parameter, value))).plan();
          }

          private SqlQuery query(String sql, String parameter, String value) {
            return SqlQuery.of(sql, Map.of(parameter, Rest.json(value)));
          }
        });
  }
}
