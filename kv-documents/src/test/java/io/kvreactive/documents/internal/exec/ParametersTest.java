package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.QueryException;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.internal.value.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Checks that a query with parameters returns the rows of the same query with literals, even if it
 * was compiled and planned before for other values, other types or another policy.
 */
class ParametersTest {
  private static final String[] VALUES = {
    "1",
    "3",
    "3.0",
    "-1",
    "4",
    "1e300",
    "9007199254740992",
    "\"3\"",
    "\"x\"",
    "\"y\"",
    "\"\"",
    "\"apple\"",
    "\"" + "long".repeat(500) + "3\"",
    "null",
    "true",
    "[1,2]",
    "{\"k\":1}",
    "\"5\""
  };
  private static final List<String> QUERIES =
      List.of(
          "SELECT * FROM c WHERE c.a = @p",
          "SELECT * FROM c WHERE @p = c.a",
          "SELECT * FROM c WHERE c[\"a\"] = @p",
          "SELECT * FROM c WHERE c.id = @p",
          "SELECT * FROM c WHERE c.a = @p AND c.b = @q",
          "SELECT * FROM c WHERE c.a = @p AND c.a = @q",
          "SELECT * FROM c WHERE c.a = @p AND c.a = @p",
          "SELECT * FROM c WHERE c.a = @p AND c.b = @p",
          "SELECT * FROM c WHERE c.f > @p AND c.f <= @q",
          "SELECT * FROM c WHERE @p < c.f AND @q >= c.f",
          "SELECT * FROM c WHERE c.f > @p AND c.f > @q",
          "SELECT * FROM c WHERE c.f > @p AND c.f > 2",
          "SELECT * FROM c WHERE c[\"f\"] > 2 AND c.f > @p",
          "SELECT * FROM c WHERE c.f < @p AND c.f IN (1, 2, 3)",
          "SELECT * FROM c WHERE c.f != @p",
          "SELECT * FROM c WHERE NOT (c.f < @p)",
          "SELECT * FROM c WHERE NOT (c.f < @p OR c.a = @q)",
          "SELECT * FROM c WHERE c.a = @p OR c.b = @q",
          "SELECT * FROM c WHERE (c.a = @p AND c.f > 0) AND (c.b = @q OR c.f < 3)",
          "SELECT * FROM c WHERE c.a IN (@p, @q)",
          "SELECT * FROM c WHERE c.a BETWEEN @p AND @q",
          "SELECT * FROM c WHERE STARTSWITH(c.s, @p)",
          "SELECT * FROM c WHERE c.n.x = @p AND c.flag = true",
          "SELECT * FROM c WHERE c.n = @p",
          "SELECT * FROM c WHERE c = @p",
          "SELECT * FROM c WHERE c.kids[0].age = @p",
          "SELECT VALUE k FROM c JOIN k IN c.kids WHERE k.age = @p AND c.f > @q",
          "SELECT VALUE c.id FROM c WHERE EXISTS (SELECT VALUE k FROM k IN c.kids WHERE k.age = @p)",
          "SELECT c.id, @p AS p FROM c WHERE c.a = @q",
          "SELECT VALUE COUNT(1) FROM c WHERE c.a = @p",
          "SELECT VALUE MAX(c.f) FROM c WHERE c.f < @p",
          "SELECT VALUE [c.a, c.f] FROM c WHERE c.a = @p ORDER BY c.f",
          "SELECT VALUE c.f FROM c WHERE c.f > @p ORDER BY c.f DESC",
          "SELECT VALUE [c.a, c.b] FROM c WHERE c.a = @p AND c.b > @q ORDER BY c.a, c.b",
          "SELECT DISTINCT VALUE c.a FROM c WHERE c.f >= @p",
          "SELECT c.a, COUNT(1) AS n FROM c WHERE c.f < @p GROUP BY c.a",
          "SELECT * FROM c WHERE c.s = @p AND c.b = @q");

  private final QueryStore store =
      new QueryStore(
          IndexingPolicy.DEFAULT.withComposite(
              CompositePath.ascending("/a"), CompositePath.ascending("/b")));

  @AfterEach
  void close() {
    store.close();
  }

  private static SqlQuery query(String sql, JsonNode p, JsonNode q) {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("@p", p);
    values.put("q", q); // the name with or without @
    return SqlQuery.of(sql, values);
  }

  private void compare(SoftAssertions all, Random random, List<JsonNode> stored) {
    for (String sql : QUERIES) {
      for (int i = 0; i < 12; i++) {
        String p = VALUES[random.nextInt(VALUES.length)];
        String q = VALUES[random.nextInt(VALUES.length)];
        String literal = sql.replace("@p", p).replace("@q", q);
        List<JsonNode> rows = store.rows(query(sql, Json.parse(p), Json.parse(q)));
        DifferentialTest.assertSameRows(
            all, sql + " for " + p + " and " + q, literal, rows, stored);
      }
    }
  }

  @Test
  void returnsTheRowsOfLiteralsForValuesOfAllTypes() {
    store.fill(new SampleDocuments(11).make(0, 120));
    List<JsonNode> stored = store.stored();
    SoftAssertions all = new SoftAssertions();
    compare(all, new Random(5), stored);
    store
        .items
        .replaceDefinition(
            io.kvreactive.documents.CollectionDefinition.DEFAULT.withIndexingPolicy(
                IndexingPolicy.DEFAULT))
        .blockLast(QueryStore.PATIENCE);
    compareWithoutComposite(all, stored);
    all.assertAll();
  }

  private void compareWithoutComposite(SoftAssertions all, List<JsonNode> stored) {
    String sql = "SELECT * FROM c WHERE c.a = @p AND c.b = @q";
    for (String p : VALUES) {
      List<JsonNode> rows = store.rows(query(sql, Json.parse(p), Json.parse("\"y\"")));
      String literal = sql.replace("@p", p).replace("@q", "\"y\"");
      DifferentialTest.assertSameRows(all, literal, literal, rows, stored);
    }
  }

  @Test
  void rejectsAContinuationForOtherValues() {
    store.fill(new SampleDocuments(12).make(0, 200));
    String sql = "SELECT VALUE c.id FROM c WHERE c.f > @p AND c.f < @q";
    SqlQuery asked =
        query(sql, Json.parse("-2"), Json.parse("7"))
            .withOptions(QueryOptions.DEFAULT.withMaxItemCount(10));
    QueryPage<JsonNode> page = store.page(asked);
    String next = page.continuation();
    assertThat(next).isNotNull();
    assertThat(store.pages(asked, () -> {}))
        .containsExactlyInAnyOrderElementsOf(
            store.rows(
                "SELECT VALUE c.id FROM c WHERE c.f > -2 AND c.f < 7", QueryOptions.DEFAULT));
    SqlQuery other =
        query(sql, Json.parse("-1"), Json.parse("7"))
            .withOptions(QueryOptions.DEFAULT.withMaxItemCount(10).withContinuation(next));
    assertThatThrownBy(() -> store.page(other))
        .isInstanceOfSatisfying(
            DocumentException.class,
            e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.INVALID_CONTINUATION));
  }

  @Test
  void namesAParameterWithoutAValue() {
    assertThatThrownBy(() -> store.rows(SqlQuery.of("SELECT * FROM c WHERE c.a = @missing")))
        .isInstanceOfSatisfying(
            QueryException.class,
            e -> {
              assertThat(e.code()).isEqualTo(DocumentErrorCode.INVALID_QUERY);
              assertThat(e).hasMessageContaining("@missing");
            });
  }
}
