package io.kvreactive.vector;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.LoadOptions;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.testing.Tries;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Items with vectors, and queries for the closest vectors. */
final class VectorItems {
  static final Duration PATIENCE = Duration.ofSeconds(120);
  static final int DIMENSIONS = 16;
  private static final String SHARDED = " by shard";

  private VectorItems() {}

  /** Returns the types of indexes: in the short form each structure, and one with shards. */
  static List<String> types() {
    List<String> all =
        List.of("diskANN", "quantizedFlat by shard", "quantizedFlat", "diskANN by shard");
    return all.subList(0, Tries.of(2, all.size()));
  }

  /**
   * Returns the definition of a collection with a vector index.
   *
   * @param type the type of the index; with {@code " by shard"} at the end, each value of {@code
   *     shard} is a shard
   */
  static CollectionDefinition definition(String type, String distance) {
    String shards =
        type.endsWith(SHARDED) ? "\", \"vectorIndexShardKey\": [\"/shard\"], \"type\": \"" : "";
    String name = type.replace(SHARDED, "");
    return Definitions.parse(
        """
        {"indexingPolicy": {"includedPaths": [{"path": "/*"}], "excludedPaths": [{"path": "/v/*"}],
          "vectorIndexes": [{"path": "/v%s%s"}]},
         "vectorEmbeddingPolicy": {"vectorEmbeddings": [{"path": "/v", "dataType": "float32",
          "dimensions": %d, "distanceFunction": "%s"}]}}\
        """
            .formatted(shards.isEmpty() ? "\", \"type\": \"" : shards, name, DIMENSIONS, distance));
  }

  static ObjectNode item(int id, float[] vector) {
    ObjectNode item = JsonNodeFactory.instance.objectNode().put("id", "i" + id);
    item.put("n", id);
    item.put("right", vector[0] > 0);
    item.put("shard", vector[1] > -0.5 ? "large" : "s" + id % 10); // changes with the vector
    for (float element : vector) {
      item.withArray("v").add(element);
    }
    return item;
  }

  private static Map<String, Object> parameters(float[] vector) {
    Map<String, Object> parameters = new HashMap<>();
    parameters.put("v", vector);
    return parameters;
  }

  /** Returns a query for the closest items, by the index if there is one, else by a scan. */
  static SqlQuery closest(int top, String where, float[] vector) {
    return SqlQuery.of(
        "SELECT TOP " + top + " VALUE c.id FROM c " + where + " ORDER BY VectorDistance(c.v, @v)",
        parameters(vector));
  }

  /** Returns the part of the plan of a query for the closest items that describes the index. */
  static JsonNode order(DocumentCollection<JsonNode> items, String where, float[] vector) {
    SqlQuery query = closest(10, where, vector);
    return Objects.requireNonNull(items.explain(query).block(PATIENCE)).plan().get("orderBy");
  }

  /** Returns a query for the closest items that computes all distances. */
  static SqlQuery exact(int top, String where, float[] vector) {
    return SqlQuery.of(
        "SELECT TOP "
            + top
            + " VALUE c.id FROM c "
            + where
            + " ORDER BY VectorDistance(c.v, @v, true)",
        parameters(vector));
  }

  static List<String> ids(DocumentCollection<JsonNode> items, SqlQuery query) {
    return Objects.requireNonNull(items.query(query, String.class).collectList().block(PATIENCE));
  }

  /** Asserts that the index finds the closest of all vectors. A search may miss a few. */
  static void assertSame(
      DocumentCollection<JsonNode> items, int top, String where, float[] vector) {
    List<String> found = ids(items, closest(top, where, vector));
    List<String> all = ids(items, exact(Integer.MAX_VALUE, where, vector));
    List<String> closest = all.subList(0, Math.min(top, all.size()));
    assertThat(found).hasSameSizeAs(closest).doesNotHaveDuplicates();
    assertThat(all).containsSubsequence(found); // a part of all, in the order of the distance
    Set<String> have = new HashSet<>(found);
    int missing = (int) closest.stream().filter(id -> !have.contains(id)).count();
    assertThat(missing).isLessThanOrEqualTo(top / 20);
  }

  /** Returns the number of entries that a query for the ten closest items reads. */
  static long read(DocumentCollection<JsonNode> items, float[] vector) {
    return read(items, "", vector);
  }

  static long read(DocumentCollection<JsonNode> items, String where, float[] vector) {
    SqlQuery query = closest(10, where, vector);
    QueryPage<String> page =
        Objects.requireNonNull(items.page(query, String.class).block(PATIENCE));
    assertThat(page.items()).hasSize(10);
    return page.metrics().entriesRead();
  }

  /**
   * Waits until the structure in memory answers queries, which then read fewer than {@code end}
   * entries.
   */
  static void awaitReady(DocumentCollection<JsonNode> items, float[] vector, long end) {
    await(() -> read(items, vector) < end);
  }

  /** Waits until a condition is met; leaves the processor to others between its looks. */
  static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Mono.delay(Duration.ofMillis(10)).block();
    }
  }

  /** Returns the first vectors of a sequence. */
  static List<float[]> take(RandomVectors vectors, int count) {
    return Stream.generate(vectors::next).limit(count).toList();
  }

  /** Stores items with consecutive numbers, from a first one, and with the given vectors. */
  static void fill(DocumentCollection<JsonNode> items, int first, List<float[]> vectors) {
    items
        .load(
            Flux.range(0, vectors.size()).map(i -> item(first + i, vectors.get(i))),
            LoadOptions.DEFAULT.withConcurrency(1))
        .blockLast(PATIENCE);
  }
}
