package io.kvreactive.vector;

import static io.kvreactive.vector.VectorItems.PATIENCE;
import static io.kvreactive.vector.VectorItems.assertSame;
import static io.kvreactive.vector.VectorItems.awaitReady;
import static io.kvreactive.vector.VectorItems.closest;
import static io.kvreactive.vector.VectorItems.definition;
import static io.kvreactive.vector.VectorItems.exact;
import static io.kvreactive.vector.VectorItems.ids;
import static io.kvreactive.vector.VectorItems.order;
import static io.kvreactive.vector.VectorItems.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.QueryMetrics;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.testing.Tries;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares queries with an approximate vector index to an exact search of all vectors. The tests
 * share collections, which they do not change.
 */
@ExtendWith(VertxExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class VectorReadsTest {
  private static final int ITEMS = 2000;

  private final RandomVectors vectors = RandomVectors.clustered(11, VectorItems.DIMENSIONS);
  private final List<float[]> stored = VectorItems.take(vectors, ITEMS);
  private final Map<String, DocumentCollection<JsonNode>> collections = new HashMap<>();
  private Kv kv;
  private DocumentStore index;

  @BeforeAll
  void open(Vertx vertx, @TempDir Path directory) {
    kv = Kv.open(vertx, KvOptions.at(directory)).block(PATIENCE);
    index = DocumentStore.over(kv);
  }

  @AfterAll
  void close() {
    index.close().block(PATIENCE);
    kv.close().block(PATIENCE);
  }

  /** Returns the collection of all items with an index, filled by the first test that needs it. */
  private DocumentCollection<JsonNode> filled(String type, String distance) {
    return collections.computeIfAbsent(
        type + ", " + distance,
        key -> {
          String name = "c" + collections.size();
          index.create(name, definition(type, distance)).block(PATIENCE);
          DocumentCollection<JsonNode> items = index.collection(name, JsonNode.class);
          VectorItems.fill(items, 0, stored);
          return items;
        });
  }

  /** Returns types and distances: in the short form each type, and each distance. */
  static List<Arguments> indexes() {
    List<Arguments> all =
        List.of(
            Arguments.of("diskANN", "euclidean"),
            Arguments.of("quantizedFlat", "cosine"),
            Arguments.of("diskANN by shard", "dotproduct"),
            Arguments.of("quantizedFlat by shard", "euclidean"),
            Arguments.of("diskANN", "cosine"),
            Arguments.of("diskANN", "dotproduct"),
            Arguments.of("quantizedFlat", "dotproduct"),
            Arguments.of("quantizedFlat", "euclidean"),
            Arguments.of("diskANN by shard", "cosine"));
    return all.subList(0, Tries.of(4, all.size()));
  }

  @ParameterizedTest
  @MethodSource("indexes")
  void findsTheClosest(String type, String distance) {
    DocumentCollection<JsonNode> items = filled(type, distance);
    awaitReady(items, vectors.next(), 300);
    int found = 0;
    int tries = Tries.of(5, 20);
    for (int i = 0; i < tries; i++) {
      float[] vector = vectors.next();
      assertThat(read(items, vector)).isLessThan(300);
      List<String> ids = ids(items, closest(10, "", vector));
      found += (int) ids(items, exact(10, "", vector)).stream().filter(ids::contains).count();
    }
    assertThat(found).isGreaterThan(tries * 19 / 2);
    for (int i = 0; i < Tries.of(2, 20); i++) {
      float[] vector = vectors.next();
      // enough candidates to include all vectors
      assertSame(items, ITEMS / 2, "", vector);
      assertSame(items, 300, "WHERE c.n < 900", vector);
      assertSame(
          items,
          10,
          "WHERE c.n >= 100 AND c.n < 150",
          vector); // few matches: read without the index
      assertSame(items, 10, "WHERE c.n < 0", vector);
      assertSame(items, 300, "WHERE c.shard = 'large'", vector);
      assertSame(items, 300, "WHERE c.shard = 'large' AND c.n < 1500", vector);
      assertSame(items, 50, "WHERE c.shard = 's3'", vector);
      assertSame(items, 300, "WHERE c.shard IN ('large', 's3', 's4', 'none')", vector);
    }
  }

  @ParameterizedTest
  @MethodSource("io.kvreactive.vector.VectorItems#types")
  void findsTheClosestOfManyItemsThatMeetACondition(String type) {
    DocumentCollection<JsonNode> items = filled(type, "euclidean");
    awaitReady(items, vectors.next(), 300);
    for (int i = 0; i < Tries.of(3, 20); i++) {
      float[] vector = vectors.next();
      assertSame(items, 20, "WHERE c.n < 1900", vector);
      // not all entries of the condition
      assertThat(read(items, "WHERE c.n < 1900", vector)).isLessThan(1500);
      assertSame(items, 20, "WHERE c.n % 5 = 0", vector); // not from an index
      assertThat(read(items, "WHERE c.n % 5 = 0", vector)).isLessThan(1500);
      vector[0] = -100; // no item on the right is close
      assertSame(items, 20, "WHERE c.right", vector);
      assertSame(items, 20, "WHERE c.n < 1900 AND c.right", vector);
    }
  }

  @Test
  void returnsPages() {
    DocumentCollection<JsonNode> items = filled("diskANN", "euclidean");
    float[] vector = vectors.next();
    awaitReady(items, vector, 300);
    SqlQuery query = closest(50, "", vector);
    List<String> paged = new ArrayList<>();
    String continuation = "";
    do {
      var page =
          items
              .page(
                  query.withOptions(
                      query.options().withMaxItemCount(20).withContinuation(continuation)),
                  String.class)
              .block(PATIENCE);
      paged.addAll(page.items());
      continuation = page.continuation();
    } while (continuation != null);
    assertThat(paged).containsExactlyElementsOf(ids(items, exact(50, "", vector)));
  }

  @Test
  void explainsTheVectorIndex() {
    DocumentCollection<JsonNode> items = filled("quantizedFlat", "cosine");
    String sql = "SELECT TOP 3 VALUE c.id FROM c ORDER BY VectorDistance(c.v, @v";
    Map<String, Object> parameters = Map.of("v", vectors.next());
    JsonNode order =
        items.explain(SqlQuery.of(sql + ")", parameters)).block(PATIENCE).plan().get("orderBy");
    assertThat(order.get("kind").asText()).isEqualTo("quantizedFlat");
    assertThat(order.get("approximate").asBoolean()).isTrue();
    assertThat(order.get("candidatesPerRow").asInt()).isEqualTo(5);
    JsonNode brute =
        items
            .explain(SqlQuery.of(sql + ", true)", parameters))
            .block(PATIENCE)
            .plan()
            .get("orderBy");
    assertThat(brute.get("approximate").asBoolean()).isFalse();
  }

  @Test
  void countsCandidatesAndRankedVectors() {
    DocumentCollection<JsonNode> items = filled("quantizedFlat", "cosine");
    float[] vector = vectors.next();
    awaitReady(items, vector, 300);
    QueryMetrics found = items.page(closest(3, "", vector), String.class).block(PATIENCE).metrics();
    assertThat(found.candidates()).isEqualTo(100);
    assertThat(found.rankedVectors()).isBetween(100L, 300L); // with the items marked since
    QueryMetrics exact = items.page(exact(3, "", vector), String.class).block(PATIENCE).metrics();
    assertThat(exact.candidates()).isZero();
    assertThat(exact.rankedVectors()).isEqualTo(ITEMS);
  }

  @ParameterizedTest
  @CsvSource({"diskANN by shard, dotproduct", "quantizedFlat by shard, euclidean"})
  void searchesTheShardsOfTheCondition(String type, String distance) {
    DocumentCollection<JsonNode> items = filled(type, distance);
    float[] vector = vectors.next();
    awaitReady(items, vector, 300);
    JsonNode all = order(items, "", vector);
    assertThat(all.get("shardPath").asText()).isEqualTo("/shard");
    assertThat(all.has("shards")).isFalse();
    assertThat(all.get("structures").asInt()).isEqualTo(2); // of "large", and of all others
    JsonNode one = order(items, "WHERE c.shard = 'large'", vector);
    assertThat(one.get("shards")).hasToString("[\"large\"]");
    assertThat(one.get("structures").asInt()).isEqualTo(1);
    assertThat(order(items, "WHERE c.shard = 's3'", vector).get("structures").asInt()).isZero();
    JsonNode some = order(items, "WHERE c.shard IN ('s1', 'large') AND c.n > 7", vector);
    assertThat(some.get("shards")).hasToString("[\"s1\",\"large\"]");
    assertThat(some.get("structures").asInt()).isEqualTo(1);
    // a small shard is read exactly
    int small =
        ids(items, SqlQuery.of("SELECT VALUE c.id FROM c WHERE c.shard = 's3'", Map.of())).size();
    assertThat(small).isBetween(10, 150);
    assertThat(read(items, "WHERE c.shard = 's3'", vector)).isEqualTo(small);
    assertThat(read(items, "WHERE c.shard = 'large'", vector)).isLessThan(300);
    assertThat(read(items, "WHERE c.shard = 'large' AND c.n % 2 = 0", vector)).isLessThan(1500);
  }

  @Test
  void rejectsChangesOfItsDefinition() {
    DocumentCollection<JsonNode> items = filled("diskANN", "euclidean");
    for (CollectionDefinition other :
        List.of(
            CollectionDefinition.DEFAULT,
            definition("quantizedFlat", "euclidean"),
            definition("diskANN by shard", "euclidean"),
            definition("diskANN", "cosine"))) {
      assertThatThrownBy(() -> items.replaceDefinition(other).blockLast(PATIENCE))
          .isInstanceOfSatisfying(
              DocumentException.class,
              e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.NOT_CHANGEABLE));
    }
  }
}
