package io.kvreactive.vector;

import static io.kvreactive.vector.VectorItems.PATIENCE;
import static io.kvreactive.vector.VectorItems.assertSame;
import static io.kvreactive.vector.VectorItems.await;
import static io.kvreactive.vector.VectorItems.awaitReady;
import static io.kvreactive.vector.VectorItems.closest;
import static io.kvreactive.vector.VectorItems.definition;
import static io.kvreactive.vector.VectorItems.ids;
import static io.kvreactive.vector.VectorItems.item;
import static io.kvreactive.vector.VectorItems.order;
import static io.kvreactive.vector.VectorItems.read;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.documents.CollectionSizes.IndexSize;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.DocumentThreads;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.testing.Tries;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Compares queries with an approximate vector index, of items that change and of limited memory, to
 * an exact search of all vectors.
 *
 * @see VectorReadsTest
 */
@ExtendWith(VertxExtension.class)
class VectorQueriesTest {
  private static final int ITEMS = 2000;

  @TempDir Path directory;
  private final RandomVectors vectors = RandomVectors.clustered(11, VectorItems.DIMENSIONS);
  private Vertx vertx;
  private Kv kv;
  private DocumentStore index;

  private final List<String> messages = new CopyOnWriteArrayList<>();
  private final Logger log = (Logger) LoggerFactory.getLogger("io.kvreactive.documents");
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          messages.add(event.getFormattedMessage());
        }
      };

  @BeforeEach
  void open(Vertx vertx) {
    this.vertx = vertx;
    if (!appender.isStarted()) {
      appender.start();
      log.setLevel(Level.INFO);
      log.addAppender(appender);
    }
    open(DocumentStoreOptions.DEFAULT);
  }

  @AfterEach
  void removeAppender() {
    log.detachAppender(appender);
  }

  private void open(DocumentStoreOptions options) {
    kv = Kv.open(vertx, KvOptions.at(directory)).block(PATIENCE);
    index = DocumentStore.over(kv, options);
  }

  @AfterEach
  void close() {
    index.close().block(PATIENCE);
    kv.close().block(PATIENCE);
  }

  private DocumentCollection<JsonNode> filled(String type, String distance) {
    index.create("c", definition(type, distance)).block(PATIENCE);
    DocumentCollection<JsonNode> items = index.collection("c", JsonNode.class);
    fill(items, 0, ITEMS);
    return items;
  }

  private void fill(DocumentCollection<JsonNode> items, int first, int count) {
    VectorItems.fill(items, first, VectorItems.take(vectors, count));
  }

  private void awaitMessage(String part) {
    await(() -> messages.stream().anyMatch(message -> message.contains(part)));
  }

  private static Mono<?> delete(DocumentCollection<JsonNode> items, int id) {
    return items.delete("i" + id).onErrorResume(DocumentException.class, absent -> Mono.empty());
  }

  @ParameterizedTest
  @MethodSource("io.kvreactive.vector.VectorItems#types")
  void seesEachChangeImmediately(String type) {
    DocumentCollection<JsonNode> items = filled(type, "euclidean");
    awaitReady(items, vectors.next(), 300);
    Random random = new Random(5);
    int missed = 0;
    for (int i = 0; i < Tries.of(45, 300); i++) {
      int id = random.nextInt(ITEMS + 100);
      float[] vector = vectors.next();
      if (random.nextInt(4) == 0) {
        delete(items, id).block(PATIENCE);
        assertThat(ids(items, closest(ITEMS / 2, "", vector))).doesNotContain("i" + id);
      } else {
        items.upsert(item(id, vector)).block(PATIENCE);
        String shard = "WHERE c.shard = '" + item(id, vector).get("shard").textValue() + "'";
        missed +=
            ids(items, closest(10, i % 2 == 0 ? "" : shard, vector)).get(0).equals("i" + id)
                ? 0
                : 1;
      }
      if (i % 30 == 0) {
        assertSame(items, ITEMS / 2, "", vector);
        assertSame(items, ITEMS / 2, "WHERE c.shard = 'large'", vector);
        assertSame(items, 50, "WHERE c.shard = 's7'", vector);
      }
    }
    assertThat(missed).isZero();
    awaitReady(items, vectors.next(), 300); // the index has followed the changes
    assertSame(items, ITEMS / 2, "", vectors.next());
  }

  @ParameterizedTest
  @MethodSource("io.kvreactive.vector.VectorItems#types")
  void returnsCompleteResultsDuringConcurrentWrites(String type) {
    DocumentCollection<JsonNode> items = filled(type, "cosine");
    awaitReady(items, vectors.next(), 300);
    Random random = new Random(9);
    List<Mono<?>> writes = new ArrayList<>();
    for (int i = 0; i < Tries.of(500, 3000); i++) {
      int id = random.nextInt(ITEMS);
      writes.add(
          random.nextInt(3) == 0 ? delete(items, id) : items.upsert(item(id, vectors.next())));
    }
    var done = Flux.fromIterable(writes).flatMap(write -> write, 8).then().toFuture();
    while (!done.isDone()) {
      List<String> found = ids(items, closest(ITEMS / 4, "", vectors.next()));
      assertThat(found).doesNotHaveDuplicates().hasSize(ITEMS / 4);
    }
    done.join();
    assertSame(items, ITEMS / 4, "", vectors.next());
  }

  @ParameterizedTest
  @MethodSource("io.kvreactive.vector.VectorItems#types")
  void reloadsTheSavedIndex(String type) {
    DocumentCollection<JsonNode> items = filled(type, "euclidean");
    awaitReady(items, vectors.next(), 300);
    for (int round = 0; round < 2; round++) {
      close();
      messages.clear();
      open(vertx);
      items = index.collection("c", JsonNode.class);
      items.upsert(item(1, vectors.next())).block(PATIENCE);
      delete(items, 2).block(PATIENCE);
      assertSame(items, ITEMS / 2, "", vectors.next());
      awaitReady(items, vectors.next(), 300);
      assertSame(items, ITEMS / 2, "", vectors.next());
      assertSame(items, ITEMS / 2, "WHERE c.shard = 'large'", vectors.next());
      // only the vectors written since the index was saved
      assertThat(messages)
          .anyMatch(
              message ->
                  message.matches(".* of which \\d{1,3} are to be added; \\d{1,3} are gone"));
    }
  }

  @Test
  void readsAllVectorsWhenMemoryIsExhausted() {
    close();
    try (DocumentThreads threads =
        DocumentThreads.create(DocumentThreads.Limits.NONE.withMaxVectorMemory(100_000))) {
      open(DocumentStoreOptions.DEFAULT.withThreads(threads));
      DocumentCollection<JsonNode> items = filled("diskANN", "cosine");
      float[] vector = vectors.next();
      assertSame(items, 10, "", vector);
      assertThat(read(items, vector)).isGreaterThanOrEqualTo(ITEMS);
      await(
          () ->
              threads.vectorMemoryBytes() <= 100_000); // until the excess batch has been discarded
      IndexSize size = vectorIndex(items);
      assertThat(size.entries()).isEqualTo(ITEMS);
      assertThat(size.ready()).isFalse();
    }
  }

  private static IndexSize vectorIndex(DocumentCollection<JsonNode> items) {
    return items.sizes().block(PATIENCE).indexes().stream()
        .filter(each -> each.index().startsWith("vector#"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void compressesTheVectorsOfAGraphThatWouldExceedTheMemory() {
    close();
    try (DocumentThreads threads =
        DocumentThreads.create(DocumentThreads.Limits.NONE.withMaxVectorMemory(1_050_000))) {
      open(DocumentStoreOptions.DEFAULT.withThreads(threads));
      DocumentCollection<JsonNode> items = filled("diskANN", "euclidean");
      awaitMessage("they are compressed");
      awaitReady(items, vectors.next(), 300);
      assertSame(items, 300, "", vectors.next());
      assertThat(threads.vectorMemoryBytes()).isBetween(1L, 1_050_000L);
    }
  }

  @Test
  void buildsCompressedVectorsAgainFromALargerSample() {
    index.create("c", definition("quantizedFlat", "euclidean")).block(PATIENCE);
    DocumentCollection<JsonNode> items = index.collection("c", JsonNode.class);
    fill(items, 0, 1000); // the first structure is built from these
    awaitReady(items, vectors.next(), 300);
    fill(items, 1000, 16_000);
    awaitMessage("rebuilt from a larger sample");
    awaitReady(items, vectors.next(), 300);
    assertSame(items, 300, "", vectors.next());
  }

  @Test
  void answersExactlyBesideAnotherStoreOfDocumentsThatTakesTheIndexOver() {
    DocumentCollection<JsonNode> items = filled("quantizedFlat", "euclidean");
    awaitReady(items, vectors.next(), 300);
    DocumentStore other = DocumentStore.over(kv);
    DocumentCollection<JsonNode> others = other.collection("c", JsonNode.class);
    awaitReady(others, vectors.next(), 300);
    for (int i = 0; i < Tries.of(50, 300); i++) {
      float[] vector = vectors.next();
      (i % 2 == 0 ? items : others).upsert(item(i % 50, vector)).block(PATIENCE);
      assertThat(ids(items, closest(10, "", vector)).get(0)).isEqualTo("i" + i % 50);
      assertThat(ids(others, closest(10, "", vector)).get(0)).isEqualTo("i" + i % 50);
    }
    awaitReady(others, vectors.next(), 300);
    assertThat(read(items, vectors.next())).isGreaterThanOrEqualTo(ITEMS); // all vectors
    awaitMessage("taken over");
    other.close().block(PATIENCE);
  }

  @Test
  void freesTheMemoryOfADroppedCollection() {
    close();
    try (DocumentThreads threads = DocumentThreads.create()) {
      open(DocumentStoreOptions.DEFAULT.withThreads(threads));
      DocumentCollection<JsonNode> items = filled("diskANN", "cosine");
      awaitReady(items, vectors.next(), 300);
      assertThat(threads.vectorMemoryBytes()).isGreaterThan(100_000);
      index.drop("c").block(PATIENCE);
      await(() -> threads.vectorMemoryBytes() <= 0);
    }
  }

  @Test
  void findsNothingForZeroVectorsByCosine() {
    DocumentCollection<JsonNode> items = filled("diskANN", "cosine");
    awaitReady(items, vectors.next(), 300);
    items.upsert(item(ITEMS, new float[VectorItems.DIMENSIONS])).block(PATIENCE);
    assertThat(ids(items, closest(10, "", new float[VectorItems.DIMENSIONS]))).isEmpty();
    assertSame(items, 10, "", vectors.next());
  }

  static List<String> sharded() {
    return List.of("diskANN by shard", "quantizedFlat by shard").subList(0, Tries.of(1, 2));
  }

  @ParameterizedTest
  @MethodSource("sharded")
  void returnsCompleteResultsWhileShardsGrowAndShrink(String type) {
    index.create("c", definition(type, "euclidean")).block(PATIENCE);
    DocumentCollection<JsonNode> items = index.collection("c", JsonNode.class);
    move(items, "a").block(PATIENCE);
    awaitReady(items, vectors.next(), 300);
    for (String to : List.of("b", "a").subList(0, Tries.of(1, 2))) {
      String from = to.equals("a") ? "b" : "a";
      assertThat(order(items, "WHERE c.shard = '" + from + "'", vectors.next()).get("structures"))
          .hasToString("1");
      var moved = move(items, to).toFuture();
      while (!moved.isDone()) {
        for (String where : List.of("", "WHERE c.shard IN ('a', 'b')")) {
          List<String> found = ids(items, closest(ITEMS / 4, where, vectors.next()));
          assertThat(found).doesNotHaveDuplicates().hasSize(ITEMS / 4);
        }
      }
      moved.join();
      awaitReady(items, vectors.next(), 300); // the index has followed
      float[] vector = vectors.next();
      assertThat(ids(items, closest(10, "WHERE c.shard = '" + from + "'", vector))).isEmpty();
      assertSame(items, ITEMS / 4, "WHERE c.shard = '" + to + "'", vector);
      assertSame(items, ITEMS / 4, "", vector);
    }
  }

  /** Puts all items, with other vectors, into one shard. */
  private Mono<Void> move(DocumentCollection<JsonNode> items, String shard) {
    List<ObjectNode> all = new ArrayList<>();
    for (int id = 0; id < ITEMS; id++) {
      all.add(item(id, vectors.next()).put("shard", shard));
    }
    return Flux.fromIterable(all).flatMap(items::upsert, 16).then();
  }

  @Test
  void keepsManySmallShardsInOneStructure() {
    close();
    try (DocumentThreads threads = DocumentThreads.create()) {
      open(DocumentStoreOptions.DEFAULT.withThreads(threads));
      index.create("c", definition("diskANN by shard", "euclidean")).block(PATIENCE);
      DocumentCollection<JsonNode> items = index.collection("c", JsonNode.class);
      int tenants = Tries.of(1500, 3000); // with two items each
      int count = 2 * tenants;
      items
          .upsertMany(
              Flux.range(0, count)
                  .map(id -> item(id, vectors.next()).put("shard", "tenant" + id % tenants)))
          .blockLast(PATIENCE);
      awaitReady(items, vectors.next(), 300);
      assertThat(order(items, "", vectors.next()).get("structures").asInt()).isEqualTo(1);
      assertSame(items, 300, "", vectors.next());
      for (int i = 0; i < 30; i++) {
        int tenant = i * 50;
        SqlQuery query = closest(10, "WHERE c.shard = 'tenant" + tenant + "'", vectors.next());
        QueryPage<String> page = items.page(query, String.class).block(PATIENCE);
        assertThat(page.items()).containsExactlyInAnyOrder("i" + tenant, "i" + (tenants + tenant));
        assertThat(page.metrics().entriesRead()).isEqualTo(2);
      }
      // of each vector: 16 floats, up to 38 edges, and the maps
      assertThat(threads.vectorMemoryBytes()).isBetween(1L, count * 1200L);
      IndexSize size = vectorIndex(items);
      assertThat(size.entries()).isEqualTo(count);
      assertThat(size.memoryBytes()).isEqualTo(threads.vectorMemoryBytes());
      assertThat(size.vectorsInMemory()).isEqualTo(count);
      assertThat(size.ready()).isTrue();
    }
  }
}
