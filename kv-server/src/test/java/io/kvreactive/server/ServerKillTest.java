package io.kvreactive.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.LoadOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ChangeFeedOptions;
import io.kvreactive.documents.ChangePage;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentClientOptions;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.ItemChanges;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.TransactionalBatch;
import io.kvreactive.testing.Tries;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Kills a server (kill -9) during batches, a load and a deletion of a remote client. */
@Timeout(600) // many processes, perhaps on a slow machine
class ServerKillTest {
  private static final int KILLS = Tries.of(1, 4);
  private static final int BATCH = 5; // items of each batch
  private static final int DOOMED = 1_000;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final ChangeFeedOptions CHANGES =
      ChangeFeedOptions.ALL.withSince(Versionstamp.ZERO);

  @TempDir private Path directory;

  private final Set<String> acknowledged = ConcurrentHashMap.newKeySet(); // batches
  private final List<String> followed = new CopyOnWriteArrayList<>(); // changes of the stream
  private final List<String> paged = new ArrayList<>(); // changes of the pages
  private Versionstamp position = Versionstamp.ZERO; // the continuation of the pages

  @Test
  void keepsWhatWasAcknowledgedAndNoBatchInPart() throws Exception {
    Vertx vertx = Vertx.vertx();
    ServedProcess server = ServedProcess.at(directory);
    try {
      DocumentStore store =
          of(
              DocumentStore.connect(
                  vertx, server.url, DocumentClientOptions.token(ServedProcess.TOKEN)));
      DocumentCollection<ObjectNode> items =
          store.collection(
              "c", ObjectNode.class, CollectionDefinition.DEFAULT.withPartitionKey("/pk"));
      of(items.upsert(item("first", "first", 0)));
      items.changeFeed(CHANGES).subscribe(commit -> note(commit, followed));
      for (int kill = 0; kill < KILLS; kill++) {
        server = killAndCheck(kill, server, items);
      }
      List<String> all = new ArrayList<>();
      readPages(items, Versionstamp.ZERO, all);
      assertThat(paged).isEqualTo(all);
      await(() -> followed.size() >= all.size());
      assertThat(followed).isEqualTo(all);
      store.close().block(PATIENCE);
    } finally {
      server.close();
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  private ServedProcess killAndCheck(
      int kill, ServedProcess server, DocumentCollection<ObjectNode> items) throws Exception {
    of(items.load(Flux.range(0, DOOMED).map(i -> item("d" + i, "doomed", kill))).last());
    AtomicLong loaded = new AtomicLong();
    AtomicLong deleted = new AtomicLong();
    int most = acknowledged.size() + 30 + ThreadLocalRandom.current().nextInt(100);
    Mono<Void> batches =
        Flux.range(0, 1_000_000)
            .map(i -> "k" + kill + "b" + i)
            .flatMap(
                batch -> items.execute(batch(batch)).doOnNext(done -> acknowledged.add(batch)), 4)
            .then();
    Mono<Void> load =
        items
            .load(
                Flux.range(0, 20_000).map(i -> item("k" + kill + "l" + i, "loaded", i)),
                LoadOptions.DEFAULT.withBatchEntries(50).withConcurrency(2))
            .doOnNext(progress -> loaded.set(progress.entries()))
            .then();
    Mono<Void> deletion =
        items
            .deleteMany(
                SqlQuery.of("SELECT * FROM c WHERE c.kind = 'doomed'")
                    .withOptions(QueryOptions.DEFAULT.withMaxItemCount(10)))
            .doOnNext(progress -> deleted.set(progress.deleted()))
            .then();
    Disposable works =
        Mono.whenDelayError(batches, load, deletion).subscribe(none -> {}, lost -> {});
    readPages(items, position, paged);
    await(() -> acknowledged.size() >= most && loaded.get() > 0);
    server.close(); // SIGKILL
    works.dispose(); // does not repeat what was not sent

    ServedProcess restarted = ServedProcess.on(server.port(), directory);
    checkBatches(items);
    String prefix = "k" + kill + "l";
    SqlQuery ofLoad =
        SqlQuery.of("SELECT VALUE c.n FROM c WHERE STARTSWITH(c.id, '" + prefix + "')");
    Set<Integer> found = Set.copyOf(all(items.query(ofLoad, Integer.class)));
    for (int i = 0; i < loaded.get(); i++) {
      assertThat(found).contains(i);
    }
    String left = "SELECT VALUE COUNT(1) FROM c WHERE c.kind = 'doomed'";
    assertThat(count(items, left)).isLessThanOrEqualTo(DOOMED - deleted.get());
    for (String sql :
        List.of(
            left,
            "SELECT VALUE COUNT(1) FROM c WHERE c.kind = 'loaded'",
            "SELECT VALUE c.id FROM c WHERE c.n > 3 AND c.kind != 'doomed'",
            "SELECT c.batch, COUNT(1) AS n FROM c GROUP BY c.batch")) {
      SqlQuery scan = SqlQuery.of(sql).withOptions(QueryOptions.DEFAULT.withForceScan(true));
      assertThat(all(items.query(SqlQuery.of(sql), JsonNode.class)))
          .as(sql)
          .containsExactlyInAnyOrderElementsOf(all(items.query(scan, JsonNode.class)));
    }
    of(items.deleteMany(SqlQuery.of("SELECT * FROM c WHERE c.kind = 'doomed'")).last());
    assertThat(count(items, left)).isZero();
    readPages(items, position, paged);
    return restarted;
  }

  /** Every batch that was acknowledged is there, and no batch is there in part. */
  private void checkBatches(DocumentCollection<ObjectNode> items) {
    SqlQuery groups =
        SqlQuery.of(
            "SELECT c.batch, COUNT(1) AS n FROM c WHERE IS_DEFINED(c.batch) GROUP BY c.batch");
    List<ObjectNode> found = all(items.query(groups, ObjectNode.class));
    assertThat(found).allMatch(batch -> batch.path("n").asInt() == BATCH);
    assertThat(found.stream().map(batch -> batch.path("batch").asText()).toList())
        .containsAll(acknowledged);
  }

  private static TransactionalBatch batch(String name) {
    TransactionalBatch batch = TransactionalBatch.of(PartitionKey.of(name));
    for (int i = 0; i < BATCH; i++) {
      batch = batch.create(item("i" + i, "batch", i).put("pk", name).put("batch", name));
    }
    return batch;
  }

  private static ObjectNode item(String id, String kind, int n) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("id", id)
        .put("pk", kind)
        .put("kind", kind)
        .put("n", n);
  }

  private static long count(DocumentCollection<ObjectNode> items, String sql) {
    return all(items.query(SqlQuery.of(sql), Long.class)).get(0);
  }

  /** Reads all pages of changes after a version, and keeps the position after them. */
  private void readPages(
      DocumentCollection<ObjectNode> items, Versionstamp since, List<String> into) {
    ChangePage<ObjectNode> page;
    Versionstamp next = since;
    do {
      page = of(items.changePage(CHANGES.withSince(next), 1000));
      page.commits().forEach(commit -> note(commit, into));
      next = page.continuation();
    } while (page.hasMore());
    position = next;
  }

  private static void note(ItemChanges<ObjectNode> commit, List<String> into) {
    commit
        .changes()
        .forEach(
            change ->
                into.add(
                    commit.versionstamp()
                        + " "
                        + change.id()
                        + (change instanceof ItemChanges.Change.Delete ? " deleted" : "")));
  }

  private static <T> T of(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(PATIENCE));
  }

  private static <T> List<T> all(Flux<T> flux) {
    return of(flux.collectList());
  }

  private static void await(BooleanSupplier condition) {
    of(
        Flux.interval(Duration.ofMillis(10))
            .onBackpressureDrop()
            .filter(tick -> condition.getAsBoolean())
            .next());
  }
}
