package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryOptions.PlannerMode;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.internal.eval.InMemoryQuery;
import io.kvreactive.documents.internal.sql.QueryBinder;
import io.kvreactive.documents.internal.sql.Sql;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.value.DeepKey;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.testing.Tries;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks that queries return the rows of an evaluation in memory, with any indexes. */
class DifferentialTest {
  private static final Map<String, IndexingPolicy> POLICIES = policies();

  private static Map<String, IndexingPolicy> policies() {
    Map<String, IndexingPolicy> policies = new LinkedHashMap<>();
    policies.put("default", IndexingPolicy.DEFAULT);
    policies.put(
        "composites",
        IndexingPolicy.DEFAULT
            .withComposite(CompositePath.ascending("/a"), CompositePath.ascending("/b"))
            .withComposite(CompositePath.ascending("/a"), CompositePath.descending("/f"))
            .withComposite(CompositePath.descending("/b"), CompositePath.descending("/s"))
            .withComposite(
                CompositePath.ascending("/a"),
                CompositePath.ascending("/b"),
                CompositePath.ascending("/f"))
            .withComposite(CompositePath.ascending("/b"), CompositePath.ascending("/kids/[]/age"))
            .withIncluded("/kids/[]/{name, age}/?", "/a/?", "/f/?"));
    policies.put(
        "scalars only",
        IndexingPolicy.excludeRoot(
            "/a/?", "/b/?", "/f/?", "/s/?", "/missing/?", "/n/*", "/tags/[]/?", "/kids/[]/age/?"));
    policies.put("little", IndexingPolicy.excludeRoot("/b/?", "/kids/*"));
    policies.put("none", IndexingPolicy.none());
    return policies;
  }

  static Stream<String> names() {
    return POLICIES.keySet().stream();
  }

  private static List<String> queries() {
    try (var in =
        Objects.requireNonNull(DifferentialTest.class.getResourceAsStream("/exec/queries.txt"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns all queries; in the short form every third one, other ones for the next number. */
  static List<String> queries(int number) {
    List<String> all = queries();
    int step = Tries.of(3, 1);
    return IntStream.range(0, all.size())
        .filter(i -> i % step == number % step)
        .mapToObj(all::get)
        .toList();
  }

  private static int number(String policy) {
    return List.copyOf(POLICIES.keySet()).indexOf(policy);
  }

  @ParameterizedTest
  @MethodSource("names")
  void returnsTheRowsOfAScan(String policy) {
    try (QueryStore store = new QueryStore(Objects.requireNonNull(POLICIES.get(policy)))) {
      store.fill(new SampleDocuments(policy.hashCode()).make(0, 160));
      List<JsonNode> stored = store.stored();
      int answered = 0;
      SoftAssertions all = new SoftAssertions();
      for (String sql : queries(number(policy))) {
        for (QueryOptions options : options()) {
          List<JsonNode> rows;
          try {
            rows = store.rows(sql, options);
          } catch (DocumentException e) {
            all.assertThat(e.code()).as(sql + e).isEqualTo(DocumentErrorCode.ORDER_NOT_INDEXED);
            all.assertThat(sql).contains("ORDER BY");
            continue;
          }
          assertSameRows(all, policy + " " + options.plannerMode() + ": " + sql, sql, rows, stored);
          answered++;
        }
      }
      all.assertAll();
      assertThat(answered).isGreaterThan(Tries.of(160, 3 * 160));
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void returnsTheRowsOfAScanPageByPage(String policy) {
    try (QueryStore store = new QueryStore(Objects.requireNonNull(POLICIES.get(policy)))) {
      store.fill(new SampleDocuments(policy.hashCode() + 1).make(0, 60));
      List<JsonNode> stored = store.stored();
      SoftAssertions all = new SoftAssertions();
      for (String sql : queries(number(policy) + 1)) {
        boolean whole =
            sql.contains("GROUP BY") || sql.contains("DISTINCT") && !sql.contains("ORDER BY");
        for (QueryOptions options : options()) {
          QueryOptions small = options.withMaxItemCount(whole ? 1000 : 7);
          List<JsonNode> rows;
          try {
            rows = store.pages(SqlQuery.of(sql).withOptions(small), () -> {});
          } catch (DocumentException e) {
            all.assertThat(e.code()).as(sql + e).isEqualTo(DocumentErrorCode.ORDER_NOT_INDEXED);
            continue;
          }
          assertSameRows(
              all, "paged " + policy + " " + options.plannerMode() + ": " + sql, sql, rows, stored);
        }
      }
      all.assertAll();
    }
  }

  @Test
  void usesIndexesForNegatedAndComparedConditions() {
    Map<String, String> classes =
        Map.of(
            "NOT c.a", "indexSeek",
            "NOT (c.a = 1)", "preciseIndexScan",
            "NOT (c.a != 1)", "indexSeek",
            "NOT (c.a < 1)", "preciseIndexScan",
            "c.a = 1 = true", "indexSeek",
            "c.a > 1 = false", "preciseIndexScan",
            "NOT (c.a IN (1, 2)) = false", "indexSeek",
            "NOT c.a = 1", "fullScan",
            "c.a > 1 = c.b", "fullScan");
    try (QueryStore store = new QueryStore(IndexingPolicy.DEFAULT)) {
      classes.forEach(
          (condition, expected) -> {
            SqlQuery query = SqlQuery.of("SELECT * FROM c WHERE " + condition);
            assertThat(
                    Objects.requireNonNull(store.items.explain(query).block(QueryStore.PATIENCE))
                        .plan()
                        .get("class")
                        .asText())
                .as(condition)
                .isEqualTo(expected);
          });
    }
  }

  static List<QueryOptions> options() {
    return List.of(
        QueryOptions.DEFAULT,
        QueryOptions.DEFAULT.withPlannerMode(PlannerMode.EXTENDED),
        QueryOptions.DEFAULT.withForceScan(true));
  }

  /**
   * Asserts that the rows equal those of an evaluation in memory. With ORDER BY, only rows with
   * equal sort values may change places.
   */
  static void assertSameRows(
      SoftAssertions all, String what, String sql, List<JsonNode> rows, List<JsonNode> stored) {
    Query bound = QueryBinder.bind(Sql.parse(sql), Map.of());
    List<JsonNode> expected =
        InMemoryQuery.run(
            bound,
            stored,
            ItemContext.of(CollectionDefinition.DEFAULT, InstantSource.system(), Instant.now(), 0));
    boolean ordered = !bound.orderBy().isEmpty();
    boolean cut = bound.limit() != null || bound.select().top() != null;
    if (ordered && sql.contains("VALUE")) {
      all.assertThat(text(rows)).as(what).isEqualTo(text(expected));
    }
    if (!ordered || !cut) {
      all.assertThat(keys(rows)).as(what).containsExactlyInAnyOrderElementsOf(keys(expected));
    }
    if (ordered && sql.contains("ORDER BY c.f")) {
      all.assertThat(values(rows)).as(what).isEqualTo(values(expected));
    }
  }

  private static List<DeepKey> keys(List<JsonNode> rows) {
    return rows.stream().map(DeepKey::new).toList();
  }

  private static List<String> values(List<JsonNode> rows) {
    return rows.stream().map(row -> row.isObject() ? row.path("f").toString() : "").toList();
  }

  /** Returns the rows as texts in which equal numbers are written the same. */
  private static List<String> text(List<JsonNode> rows) {
    List<String> all = new ArrayList<>();
    for (JsonNode row : rows) {
      if (row.isArray()) {
        List<JsonNode> parts = new ArrayList<>();
        row.forEach(parts::add);
        all.add(text(parts).toString());
      } else {
        all.add(row.isNumber() ? Values.number(row.doubleValue()).toString() : Json.writeText(row));
      }
    }
    return all;
  }
}
