package io.kvreactive.documents.internal.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.QueryException;
import io.kvreactive.documents.QueryOptions.PlannerMode;
import io.kvreactive.documents.internal.sql.QueryBinder;
import io.kvreactive.documents.internal.sql.Sql;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.store.IndexAvailability;
import io.kvreactive.documents.internal.value.Json;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests of the explanation of plans. */
class PlanExplainerTest {
  private static final IndexingPolicy POLICY =
      IndexingPolicy.DEFAULT
          .withComposite(CompositePath.ascending("/city"), CompositePath.ascending("/age"))
          .withIncluded("/events/[]/{name, kind}/?");

  private static Plan plan(String sql, IndexAvailability available, PlannerMode mode) {
    return Planner.plan(query(sql), Map.of(), available, mode, false);
  }

  private static Query query(String sql) {
    return QueryBinder.bind(Sql.parse(sql), Map.of());
  }

  private static ObjectNode explain(String sql, IndexAvailability available) {
    return PlanExplainer.plan(sql, query(sql), plan(sql, available, PlannerMode.STRICT), 7);
  }

  private static ObjectNode metrics(String sql, IndexAvailability available, PlannerMode mode) {
    return IndexMetrics.of(
        plan(sql, available, mode), available, assumed -> plan(sql, assumed, mode));
  }

  @Test
  void explainsAllMembersOfAPlan() {
    String sql = "SELECT * FROM c WHERE c.city = 'Oslo' AND c.age > 18 AND c.size = c.age";
    JsonNode expected =
        Json.parse(
            """
            {"query":"%s","policyVersion":7,"plannerMode":"strict",
             "access":[{"index":"composite#1","kind":"composite","class":"preciseIndexScan",
               "spec":["/city ASC","/age ASC"],
               "range":{"eq":["Oslo"],"from":[18,false],"to":null},"exact":true}],
             "combine":"one","class":"preciseIndexScan","covered":false,
             "residual":"c.size = c.age","orderBy":{"servedBy":null},
             "aggregate":{"servedBy":null},"rejected":[],"notReady":[]}\
            """
                .formatted(sql));
    assertThat(Json.parse(explain(sql, PlannedIndexes.of(POLICY)).toString())).isEqualTo(expected);
  }

  @Test
  void namesIndexesUnderConstructionWithoutUsingThem() {
    IndexAvailability building = PlannedIndexes.building(POLICY, "composite#1");
    ObjectNode plan = explain("SELECT * FROM c WHERE c.city = 'Oslo' AND c.age = 18", building);
    assertThat(plan.at("/access/0/index").asText()).isEqualTo("range:/city/?");
    assertThat(plan.at("/access/1/index").asText()).isEqualTo("range:/age/?");
    assertThat(plan.get("combine").asText()).isEqualTo("intersection");
    assertThat(plan.get("notReady"))
        .hasToString(
            "[{\"index\":\"composite#1\",\"state\":\"building\",\"definition\":"
                + "\"composite /city ascending /age ascending\"}]");
    assertThatThrownBy(() -> explain("SELECT * FROM c ORDER BY c.city, c.age", building))
        .isInstanceOf(QueryException.class)
        .hasMessage(
            "ORDER_NOT_INDEXED: "
                + Planner.NO_COMPOSITE
                + " The composite index (/city ASC, /age ASC) is in the indexing policy and not"
                + " complete yet.");
  }

  @Test
  void usesTupleIndexes() {
    IndexAvailability available = PlannedIndexes.of(POLICY);
    for (String sql :
        new String[] {
          "SELECT c.id FROM c JOIN e IN c.events WHERE e.name = 'x' AND e.kind = 'y'",
          "SELECT * FROM c WHERE ARRAY_CONTAINS(c.events, {'name': 'x', 'kind': 'y'}, true)",
          "SELECT * FROM c WHERE EXISTS(SELECT VALUE 1 FROM e IN c.events"
              + " WHERE e.name = 'x' AND e.kind > 'y')"
        }) {
      assertThat(explain(sql, available).at("/access/0/kind").asText()).as(sql).isEqualTo("tuple");
    }
    String two =
        "SELECT c.id FROM c JOIN e IN c.events JOIN f IN c.events"
            + " WHERE e.name = 'x' AND f.kind = 'y'";
    assertThat(explain(two, available).toString()).doesNotContain("tuple#");
  }

  @Test
  void rejectsOrderByAnExcludedPath() {
    IndexAvailability available = PlannedIndexes.of(IndexingPolicy.excludeRoot("/a/?"));
    assertThatThrownBy(() -> explain("SELECT * FROM c ORDER BY c.b", available))
        .isInstanceOfSatisfying(QueryException.class, e -> assertThat(e.start()).isEqualTo(25))
        .isInstanceOfSatisfying(
            QueryException.class, e -> assertThat(e.missingIndex()).containsExactly("/b/?"))
        .hasMessage(
            "ORDER_NOT_INDEXED: "
                + Planner.EXCLUDED
                + " The path is /b: include \"/b/?\" in the indexing policy.");
    assertThat(explain("SELECT * FROM c WHERE c.b = 1", available).get("class").asText())
        .isEqualTo("fullScan");
  }

  @Test
  void describesAccessByTheOrderedIndex() {
    IndexAvailability available = PlannedIndexes.of(POLICY);
    String range = "SELECT * FROM c WHERE c.age > 18 AND c.size = c.age ORDER BY c.age";
    ObjectNode plan = explain(range, available);
    assertThat(plan.get("access"))
        .hasToString(
            "[{\"index\":\"range:/age/?\",\"kind\":\"range\",\"class\":\"preciseIndexScan\","
                + "\"spec\":[\"/age/?\"],\"range\":{\"eq\":[],\"from\":[18,false],\"to\":null},"
                + "\"exact\":true}]");
    assertThat(plan.get("combine").asText()).isEqualTo("one");
    assertThat(plan.get("residual").asText()).isEqualTo("c.size = c.age");
    assertThat(plan.at("/orderBy/servedBy").asText()).isEqualTo("range:/age/?");
    ObjectNode metrics = metrics(range, available, PlannerMode.STRICT);
    assertThat(metrics.at("/UtilizedSingleIndexes/0/FilterExpression").asText())
        .isEqualTo("(c.age > 18)");

    ObjectNode both =
        explain(
            "SELECT * FROM c WHERE c.city = 'Oslo' AND c.age = 2 AND c.size = 3"
                + " ORDER BY c.city, c.age",
            available);
    assertThat(both.at("/access/0/index").asText()).isEqualTo("composite#1");
    assertThat(both.at("/access/1/index").asText()).isEqualTo("range:/size/?");
    assertThat(both.get("combine").asText()).isEqualTo("intersection");
    assertThat(both.get("class").asText()).isEqualTo("indexSeek");
    assertThat(both.get("residual").isNull()).isTrue();

    // every text is tested in any order
    ObjectNode tested =
        explain("SELECT * FROM c WHERE CONTAINS(c.name, 'a') ORDER BY c.name", available);
    assertThat(tested.get("class").asText()).isEqualTo("fullIndexScan");
    assertThat(tested.get("residual").asText()).isEqualTo("CONTAINS(c.name, \"a\")");
    ObjectNode all = explain("SELECT * FROM c ORDER BY c.age", available);
    assertThat(all.get("access")).isEmpty();
    assertThat(all.get("combine").asText()).isEqualTo("everything");
    assertThat(all.get("class").asText()).isEqualTo("fullIndexScan");
  }

  @Test
  void reportsTheClassOfEachAccess() {
    IndexAvailability available = PlannedIndexes.of(IndexingPolicy.DEFAULT);
    Map<String, String> classes =
        Map.of(
            "c.a = 1", "indexSeek",
            "c.a IN (1, 2)", "indexSeek",
            "c.a > 1", "preciseIndexScan",
            "c.a != 1", "preciseIndexScan",
            "STARTSWITH(c.a, 'x')", "preciseIndexScan",
            "STARTSWITH(c.a, 'x', true)", "expandedIndexScan",
            "CONTAINS(c.a, 'x')", "fullIndexScan",
            "UPPER(c.a) = 'X'", "fullScan",
            "c.a = 1 OR c.b > 2", "preciseIndexScan",
            "c.a = 1 OR LENGTH(c.b) = 2", "fullScan");
    Map<String, String> all = new HashMap<>(classes);
    all.put("STARTSWITH(c.a, '', true)", "fullIndexScan");
    all.forEach(
        (condition, expected) ->
            assertThat(
                    explain("SELECT * FROM c WHERE " + condition, available).get("class").asText())
                .as(condition)
                .isEqualTo(expected));
  }

  /** An index of values or a range is better than all of another index. */
  @Test
  void offersAnIndexInsteadOfReadingAnotherOneWhole() {
    IndexAvailability available = PlannedIndexes.of(IndexingPolicy.includeRoot("/bio/*"));
    for (String condition : List.of("c.bio = 'x'", "c.bio IN ('x', 'y')", "c.bio > 'x'")) {
      String sql = "SELECT * FROM c WHERE " + condition + " AND CONTAINS(c.name, '9')";
      assertThat(explain(sql, available).get("class").asText()).isEqualTo("fullIndexScan");
      assertThat(metrics(sql, available, PlannerMode.STRICT).at("/PotentialSingleIndexes"))
          .as(sql)
          .extracting(index -> index.get("IndexSpec").asText())
          .containsExactly("/bio/?");
    }
    for (String condition : List.of("c.bio != 'x'", "CONTAINS(c.bio, 'x')")) {
      String sql = "SELECT * FROM c WHERE " + condition + " AND CONTAINS(c.name, '9')";
      assertThat(metrics(sql, available, PlannerMode.STRICT).at("/PotentialSingleIndexes"))
          .as(sql)
          .isEmpty();
    }
  }

  @Test
  void usesTheStartOfACompositeIndexInExtendedMode() {
    IndexAvailability available = PlannedIndexes.of(POLICY);
    String sql = "SELECT * FROM c WHERE c.city = 'Oslo' ORDER BY c.age";
    Plan strict = plan(sql, available, PlannerMode.STRICT);
    Plan extended = plan(sql, available, PlannerMode.EXTENDED);
    assertThat(strict.indexes()).noneMatch(index -> index.kind().equals("composite"));
    assertThat(extended.indexes()).anyMatch(index -> index.kind().equals("composite"));
  }

  @Test
  void advisesCompositeIndexesInMetrics() {
    String sql = "SELECT * FROM c WHERE c.n = 1 AND c.t = 2 AND c.a > 3 AND c.s > 4";
    IndexAvailability available = PlannedIndexes.of(IndexingPolicy.DEFAULT);
    ObjectNode metrics = metrics(sql, available, PlannerMode.STRICT);
    assertThat(metrics.at("/PotentialCompositeIndexes/0/IndexSpecs"))
        .hasToString("[\"/n ASC\",\"/t ASC\",\"/a ASC\"]");
    assertThat(metrics.at("/PotentialCompositeIndexes/1/IndexSpecs"))
        .hasToString("[\"/n ASC\",\"/t ASC\",\"/s ASC\"]");
    assertThat(metrics.at("/UtilizedSingleIndexes/0/IndexSpec").asText()).isEqualTo("/n/?");
  }

  @Test
  void offersNoCompositeIndexThatWouldNotBeUsed() {
    IndexAvailability precise =
        PlannedIndexes.of(
            IndexingPolicy.DEFAULT.withComposite(
                CompositePath.ascending("/city"), CompositePath.descending("/age")));
    for (String sql :
        new String[] {
          "SELECT * FROM c WHERE c.city = 'Oslo' AND c.age > 30",
          "SELECT * FROM c WHERE c.city = 'Oslo' ORDER BY c.age",
          "SELECT * FROM c WHERE c.id = '1' AND c.age = 30"
        }) {
      assertThat(metrics(sql, precise, PlannerMode.STRICT).get("PotentialCompositeIndexes"))
          .as(sql)
          .isEmpty();
    }
    assertThat(
            metrics(
                    "SELECT * FROM c WHERE c.city = 'Oslo' ORDER BY c.size",
                    precise,
                    PlannerMode.EXTENDED)
                .at("/PotentialCompositeIndexes/0/IndexSpecs"))
        .hasToString("[\"/city ASC\",\"/size ASC\"]");
  }

  @Test
  void offersExcludedPathsWhoseIndexWouldBeUsed() {
    IndexAvailability available = PlannedIndexes.of(IndexingPolicy.includeRoot("/b/?"));
    assertThat(
            metrics("SELECT * FROM c WHERE c.b > 1", available, PlannerMode.STRICT)
                .at("/PotentialSingleIndexes/0/IndexSpec")
                .asText())
        .isEqualTo("/b/?");
    assertThat(
            metrics("SELECT * FROM c WHERE c.a = 1 AND c.b > 1", available, PlannerMode.STRICT)
                .get("PotentialSingleIndexes"))
        .isEmpty();
  }
}
