package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.QueryException;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryUpdate;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.VectorEmbedding;
import io.kvreactive.documents.WriteOptions;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.testing.ShortTries;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.test.StepVerifier;

/** Tests of VectorDistance in queries over stored items. */
class VectorQueriesTest {
  private static CollectionDefinition definition(String distance) {
    return new CollectionDefinition(
        List.of(),
        IndexingPolicy.DEFAULT.withExcluded("/v/*"),
        null,
        List.of(),
        CollectionDefinition.DEFAULT.geospatialType(),
        List.of(new VectorEmbedding("/v", "float32", 2, distance)),
        List.of());
  }

  private static QueryStore store(String distance) {
    return new QueryStore(definition(distance), DocumentStoreOptions.DEFAULT);
  }

  private static ObjectNode item(String json) {
    return (ObjectNode) Json.parse(json);
  }

  private static List<ObjectNode> items() {
    return List.of(
        item("{\"id\":\"a\",\"f\":1,\"v\":[1,0]}"),
        item("{\"id\":\"b\",\"f\":2,\"v\":[0,3]}"),
        item("{\"id\":\"c\",\"f\":1,\"v\":[-1,0]}"),
        item("{\"id\":\"d\",\"f\":2,\"v\":[6,6]}"),
        item("{\"id\":\"e\",\"f\":1}"),
        item("{\"id\":\"f\",\"f\":1,\"v\":[1,0,0]}"));
  }

  private static String text(List<JsonNode> rows) {
    return String.join("", rows.stream().map(JsonNode::asText).toList());
  }

  @Test
  void ordersByEachDistanceFunction() {
    try (QueryStore cosine = store("cosine");
        QueryStore dot = store("dotproduct");
        QueryStore euclidean = store("euclidean")) {
      List.of(cosine, dot, euclidean).forEach(store -> store.fill(items()));
      SqlQuery query =
          SqlQuery.of("SELECT VALUE c.id FROM c ORDER BY VectorDistance(c.v, @q)")
              .with("@q", List.of(1, 0));
      assertThat(text(cosine.rows(query))).isEqualTo("adbc");
      assertThat(text(dot.rows(query))).isEqualTo("dabc");
      assertThat(text(euclidean.rows(query))).isEqualTo("acbd");
      SqlQuery top =
          SqlQuery.of("SELECT TOP 2 VALUE c.id FROM c ORDER BY VectorDistance(c.v, @q)")
              .with("@q", List.of(1, 0));
      assertThat(text(cosine.rows(top))).isEqualTo("ad");
      assertThat(text(dot.rows(top))).isEqualTo("da");
      assertThat(text(euclidean.rows(top))).isEqualTo("ac");
    }
  }

  @Test
  void computesScoresInSelectAndWhere() {
    try (QueryStore store = store("euclidean")) {
      store.fill(items());
      assertThat(
              store.rows(
                  "SELECT VALUE {i: c.id, s: VectorDistance(c.v, [1,0])} FROM c WHERE"
                      + " c.f = 1 AND VectorDistance(c.v, [1,0]) < 5 ORDER BY"
                      + " VectorDistance(c.v, [1,0])",
                  QueryOptions.DEFAULT))
          .hasToString("[{\"i\":\"a\",\"s\":0}, {\"i\":\"c\",\"s\":2}]");
      assertThat(
              store.rows(
                  "SELECT VALUE COUNT(1) FROM c WHERE IS_DEFINED(VectorDistance(c.v, [1,0]))",
                  QueryOptions.DEFAULT))
          .hasToString("[4]");
      assertThat(
              text(
                  store.rows(
                      "SELECT VALUE c.id FROM c ORDER BY VectorDistance(c.v, [1,0]) OFFSET 1 LIMIT"
                          + " 2",
                      QueryOptions.DEFAULT)))
          .isEqualTo("cb");
      assertThat(
              store.rows(
                  "SELECT DISTINCT VALUE c.f FROM c ORDER BY VectorDistance(c.v, [1,0])",
                  QueryOptions.DEFAULT))
          .hasToString("[1, 2]");
      assertThat(
              text(
                  store.rows(
                      "SELECT VALUE x.id FROM (SELECT TOP 3 c.id, c.v FROM c"
                          + " ORDER BY VectorDistance(c.v, [1,0])) x"
                          + " ORDER BY VectorDistance(x.v, [0,1])",
                      QueryOptions.DEFAULT)))
          .isEqualTo("bac");
    }
  }

  @Test
  void explainsTheSort() {
    try (QueryStore store = store("cosine")) {
      JsonNode plan =
          Objects.requireNonNull(
                  store
                      .items
                      .explain(
                          SqlQuery.of(
                              "SELECT TOP 2 * FROM c WHERE c.f = 1"
                                  + " ORDER BY VectorDistance(c.v, [1,0])"))
                      .block(QueryStore.PATIENCE))
              .plan();
      assertThat(plan.at("/orderBy/servedBy").asText()).isEqualTo("sort");
      assertThat(plan.at("/access/0/index").asText()).isEqualTo("range:/f/?");
    }
  }

  @Test
  void rejectsAFullScanThatIsNotEnabled() {
    try (QueryStore store = store("cosine")) {
      String sql = "SELECT TOP 2 * FROM c ORDER BY VectorDistance(c.v, [1,0])";
      assertThatThrownBy(() -> store.rows(sql, QueryOptions.DEFAULT.withEnableScan(false)))
          .isInstanceOfSatisfying(
              DocumentException.class,
              e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.SCAN_NOT_ENABLED));
    }
  }

  @Test
  void limitsMemoryToTheRowsOfTop() {
    try (QueryStore store = store("cosine")) {
      List<ObjectNode> many = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        many.add(
            item("{\"id\":\"i" + i + "\",\"v\":[1," + i + "],\"t\":\"" + "x".repeat(500) + "\"}"));
      }
      store.fill(many);
      QueryOptions little = QueryOptions.DEFAULT.withMemoryBytes(32 * 1024);
      String order = " * FROM c ORDER BY VectorDistance(c.v, [0,1])";
      assertThat(store.rows("SELECT TOP 3" + order, little)).hasSize(3);
      assertThatThrownBy(() -> store.rows("SELECT" + order, little))
          .isInstanceOfSatisfying(
              DocumentException.class,
              e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.QUERY_BUDGET_EXCEEDED));
    }
  }

  @Test
  void countsAStepPerElement() {
    DocumentStoreOptions few = DocumentStoreOptions.DEFAULT.withMaxQuerySteps(200);
    try (QueryStore store = new QueryStore(CollectionDefinition.DEFAULT, few)) {
      String vector = "[1" + ",1".repeat(299) + "]";
      store.fill(List.of(item("{\"id\":\"a\",\"v\":" + vector + "}")));
      assertThatThrownBy(
              () ->
                  store.rows(
                      "SELECT TOP 1 * FROM c ORDER BY VectorDistance(c.v, c.v)",
                      QueryOptions.DEFAULT))
          .isInstanceOfSatisfying(
              DocumentException.class,
              e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.QUERY_BUDGET_EXCEEDED));
    }
  }

  @Test
  void omitsWatchedItemsWithoutAScore() {
    try (QueryStore store = store("cosine")) {
      store.fill(items());
      StepVerifier.create(
              store
                  .items
                  .watchQuery(
                      SqlQuery.of("SELECT * FROM c ORDER BY VectorDistance(c.v, [1,0])"),
                      JsonNode.class)
                  .map(
                      update ->
                          update instanceof QueryUpdate.Insert<JsonNode> insert
                              ? "+" + insert.id()
                              : update instanceof QueryUpdate.Remove<JsonNode> remove
                                  ? "-" + remove.id()
                                  : "synced"))
          .expectNext("+a", "+d", "+b", "+c", "synced")
          .then(
              () -> store.fill(List.of(item("{\"id\":\"g\"}"), item("{\"id\":\"h\",\"v\":[1,1]}"))))
          .expectNext("+h")
          .then(
              () ->
                  store
                      .items
                      .upsert(item("{\"id\":\"a\",\"v\":[1]}"), WriteOptions.DEFAULT)
                      .block(QueryStore.PATIENCE))
          .expectNext("-a")
          .thenCancel()
          .verify(QueryStore.PATIENCE);
    }
  }

  private static void assertRejects(QueryStore store, SqlQuery query, String message) {
    for (boolean forceScan : List.of(false, true)) {
      assertThatThrownBy(
              () -> store.rows(query.withOptions(QueryOptions.DEFAULT.withForceScan(forceScan))))
          .isInstanceOfSatisfying(
              DocumentException.class,
              e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.INVALID_ARGUMENT))
          .hasMessageContaining(message);
    }
  }

  @Test
  void rejectsArgumentsThatGiveNoItemAScore() {
    Map<String, String> vectors =
        Map.of(
            "null", "null",
            "\"x\"", "\"x\"",
            "{\"x\":1}", "{\"x\":1}",
            "[]", "0 numbers",
            "[1]", "1 numbers",
            "[1,0,0]", "3 numbers",
            "[1,null]", "element 1 is null",
            "[\"1\",0]", "element 0 is \"1\"",
            "[1e300,0]", "element 0 is 1");
    String text = "SELECT TOP 3 * FROM c ORDER BY VectorDistance(c.v, ";
    try (QueryStore store = store("cosine")) { // empty: no item need be read
      vectors.forEach(
          (vector, shown) -> {
            String message = "vector of VectorDistance: " + shown;
            assertRejects(store, SqlQuery.of(text + vector + ")"), message);
            SqlQuery query = SqlQuery.of(text + "@q)").with("@q", Json.parse(vector));
            assertRejects(store, query, message);
            assertRejects(store, query, "(expected: an array of 2 numbers");
          });
      for (String options : List.of("1", "true, {\"distanceFunction\":\"near\"}", "true, 1")) {
        SqlQuery query = SqlQuery.of(text + "[1,0], " + options + ")");
        assertRejects(store, query, "options of VectorDistance: ");
      }
      assertRejects(
          store,
          SqlQuery.of("SELECT * FROM c ORDER BY VectorDistance(c.other, [])"),
          "(expected: an array of 1 to 4096 numbers");
    }
  }

  @Test
  void rejectsDirections() {
    try (QueryStore store = store("cosine")) {
      assertThatThrownBy(
              () ->
                  store.rows(
                      "SELECT * FROM c ORDER BY VectorDistance(c.v, [1,0]) DESC",
                      QueryOptions.DEFAULT))
          .isInstanceOf(QueryException.class)
          .hasMessageContaining("neither ASC nor DESC");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cosine", "dotproduct", "euclidean"})
  void keepsEmbeddingsInTheDefinition(String distance) {
    CollectionDefinition made = definition(distance);
    assertThat(Definitions.parse(Definitions.toJson(made))).isEqualTo(made);
    assertThatThrownBy(
            () -> CollectionDefinition.checkReplaceable(made, CollectionDefinition.DEFAULT))
        .hasMessageContaining("cannot be modified in Collection Replace");
  }

  // ---- comparison to a sort in memory

  @Property(tries = 20, shrinking = ShrinkingMode.OFF)
  @ShortTries(6)
  void agreesWithASort(@ForAll long seed) {
    Random random = new Random(seed);
    String distance = List.of("cosine", "dotproduct", "euclidean").get(random.nextInt(3));
    TreeMap<String, ObjectNode> model = new TreeMap<>();
    try (QueryStore store = store(distance)) {
      for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 40; i++) {
          change(store, model, random);
        }
        double[] query = {random.nextInt(7) - 3, random.nextInt(7) - 3};
        compare(store, model, distance, query, random);
      }
    }
  }

  private static void change(QueryStore store, TreeMap<String, ObjectNode> model, Random random) {
    String id = "i" + random.nextInt(60);
    if (random.nextInt(5) == 0 && model.remove(id) != null) {
      store.items.delete(id).block(QueryStore.PATIENCE);
      return;
    }
    ObjectNode item = item("{\"id\":\"" + id + "\",\"f\":" + random.nextInt(3) + "}");
    if (random.nextInt(10) > 0) {
      int size = random.nextInt(10) == 0 ? 3 : 2;
      for (int i = 0; i < size; i++) {
        item.withArray("v").add(random.nextBoolean() ? random.nextInt(9) - 4 : random.nextDouble());
      }
    }
    store.items.upsert(item, WriteOptions.DEFAULT).block(QueryStore.PATIENCE);
    model.put(id, item);
  }

  private static void compare(
      QueryStore store,
      TreeMap<String, ObjectNode> model,
      String distance,
      double[] query,
      Random random) {
    boolean filtered = random.nextBoolean();
    List<Double> expected =
        model.values().stream()
            .filter(item -> !filtered || item.get("f").intValue() == 1)
            .map(item -> score(distance, item.path("v"), query))
            .filter(score -> !score.isNaN())
            .sorted(
                distance.equals("euclidean")
                    ? Comparator.naturalOrder()
                    : Comparator.reverseOrder())
            .toList();
    int top = 1 + random.nextInt(12);
    String order =
        " VALUE VectorDistance(c.v, @q) FROM c"
            + (filtered ? " WHERE c.f = 1" : "")
            + " ORDER BY VectorDistance(c.v, @q)";
    SqlQuery all = SqlQuery.of("SELECT" + order).with("q", query);
    assertSameRows(store.rows(all), expected);
    assertSameRows(
        store.rows(SqlQuery.of("SELECT TOP " + top + order).with("q", query)),
        expected.subList(0, Math.min(top, expected.size())));
    QueryOptions small = QueryOptions.DEFAULT.withMaxItemCount(5);
    assertSameRows(store.pages(all.withOptions(small), () -> {}), expected);
  }

  private static void assertSameRows(List<JsonNode> rows, List<Double> expected) {
    assertThat(rows).hasSameSizeAs(expected);
    for (int i = 0; i < rows.size(); i++) {
      assertThat(rows.get(i).doubleValue())
          .isEqualTo(expected.get(i), org.assertj.core.data.Offset.offset(1e-9));
    }
  }

  /** Returns the score by a plain computation, or NaN if there is none. */
  private static double score(String distance, JsonNode vector, double[] query) {
    if (vector.size() != 2) {
      return Double.NaN;
    }
    double x = (float) vector.get(0).doubleValue();
    double y = (float) vector.get(1).doubleValue();
    double dot = x * query[0] + y * query[1];
    return switch (distance) {
      case "cosine" -> dot / Math.hypot(x, y) / Math.hypot(query[0], query[1]);
      case "dotproduct" -> dot;
      default -> Math.hypot(x - query[0], y - query[1]);
    };
  }
}
