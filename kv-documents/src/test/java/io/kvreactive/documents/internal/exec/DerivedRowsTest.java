package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.QueryException;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.internal.value.Json;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of queries over a subquery in FROM that combines items or reads none. */
class DerivedRowsTest {
  private final QueryStore store = new QueryStore(IndexingPolicy.DEFAULT);

  @BeforeEach
  void fill() {
    store.fill(
        Stream.of(
                "{'id':'1','city':'Oslo','age':10,'tags':['r','g']}",
                "{'id':'2','city':'Oslo','age':20,'tags':['g']}",
                "{'id':'3','city':'Rome','age':30,'tags':[]}",
                "{'id':'4','age':40}",
                "{'id':'5','city':null,'age':50,'tags':['r']}")
            .map(json -> (ObjectNode) Json.parse(json.replace('\'', '"')))
            .toList());
  }

  @AfterEach
  void close() {
    store.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          SELECT COUNT(1) AS n FROM (SELECT DISTINCT VALUE c.city FROM c)             ; [{"n":3}]
          SELECT COUNT(1) AS n FROM (SELECT DISTINCT c.city FROM c)                   ; [{"n":4}]
          SELECT VALUE COUNT(x) FROM (SELECT AVG(c.age) FROM c GROUP BY c.city) AS x  ; [4]
          SELECT VALUE MAX(g.n) FROM (SELECT c.city, COUNT(1) AS n FROM c GROUP BY c.city) AS g ; [2]
          SELECT VALUE AVG(n) FROM (SELECT VALUE COUNT(1) FROM c GROUP BY c.city) AS n ; [1.25]
          SELECT g.city FROM (SELECT c.city, COUNT(1) AS n FROM c GROUP BY c.city) g WHERE g.n > 1 ; [{"city":"Oslo"}]
          SELECT * FROM (SELECT c.city, SUM(c.age) AS s FROM c GROUP BY c.city) g ORDER BY g.s DESC ; [{"city":null,"s":50}, {"s":40}, {"city":"Oslo","s":30}, {"city":"Rome","s":30}]
          SELECT VALUE SUM(x) FROM (SELECT TOP 2 VALUE c.age FROM c ORDER BY c.age DESC) x ; [90]
          SELECT VALUE x FROM (SELECT VALUE c.age FROM c ORDER BY c.age OFFSET 1 LIMIT 3) x WHERE x > 25 ; [30, 40]
          SELECT VALUE t FROM t IN (SELECT TOP 1 VALUE c.tags FROM c ORDER BY c.id)   ; ["r", "g"]
          SELECT x.city, t FROM (SELECT DISTINCT c.city, c.tags FROM c WHERE c.id = "1") x JOIN t IN x.tags ; [{"city":"Oslo","t":"r"}, {"city":"Oslo","t":"g"}]
          SELECT TOP 1 VALUE x FROM (SELECT DISTINCT VALUE t FROM c JOIN t IN c.tags) x ; ["r"]
          SELECT VALUE n FROM (SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE c.city FROM c) d) n ; [3]
          SELECT VALUE y.n FROM (SELECT x.n + 1 AS n FROM (SELECT COUNT(1) AS n FROM c) x) y ; [6]
          SELECT DISTINCT VALUE s FROM (SELECT VALUE SUM(c.age) FROM c GROUP BY c.city) s WHERE s < 50 ; [30, 40]
          SELECT VALUE x FROM (SELECT VALUE c.age FROM c WHERE c.age > 100 ORDER BY c.age) x ; []
          SELECT * FROM (SELECT 1 AS a) x                                             ; [{"a":1}]
          SELECT VALUE x + 1 FROM (SELECT VALUE COUNT(1)) x                           ; [2]
          SELECT VALUE t FROM t IN (SELECT VALUE [1, 2])                              ; [1, 2]
          """)
  void returnsRowsOfSubqueries(String sql, String expected) {
    for (QueryOptions options : DifferentialTest.options()) {
      assertThat(store.rows(sql, options)).as(sql).hasToString(expected);
    }
    SoftAssertions same = new SoftAssertions();
    List<JsonNode> rows = store.rows(sql, QueryOptions.DEFAULT);
    DifferentialTest.assertSameRows(same, sql, sql, rows, store.stored());
    same.assertAll();
  }

  @Test
  void passesParametersAndIndexesToTheSubquery() {
    SqlQuery query =
        SqlQuery.of(
            "SELECT VALUE COUNT(1) FROM (SELECT DISTINCT c.city FROM c WHERE c.city = @city) x",
            Map.of("@city", "Oslo"));
    assertThat(store.rows(query)).hasToString("[1]");
    JsonNode plan = store.items.explain(query).block(QueryStore.PATIENCE).plan();
    assertThat(plan.at("/access/0/index").asText()).isEqualTo("range:/city/?");
    assertThat(plan.get("class").asText()).isEqualTo("indexSeek");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT VALUE x FROM (SELECT DISTINCT VALUE c.age FROM c) x",
        "SELECT VALUE x FROM (SELECT VALUE c.age FROM c ORDER BY c.age) x"
      })
  void returnsDerivedRowsInPagesWithinTheBudget(String sql) {
    SqlQuery query = SqlQuery.of(sql);
    assertThat(store.page(query).continuation()).isNull();
    SqlQuery pages = query.withOptions(QueryOptions.DEFAULT.withMaxItemCount(2));
    assertThat(store.page(pages).continuation()).isNotNull();
    assertThat(store.pages(pages, () -> {})).isEqualTo(store.rows(query));
    assertThatThrownBy(
            () -> store.rows(sql, QueryOptions.DEFAULT.withMemoryBytes(100).withForceScan(true)))
        .isInstanceOfSatisfying(
            DocumentException.class,
            e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.QUERY_BUDGET_EXCEEDED));
  }

  @Test
  void rejectsAnUnservedOrderInASubquery() {
    assertThatThrownBy(
            () ->
                store.rows(
                    "SELECT VALUE x.id FROM (SELECT * FROM c ORDER BY c.city, c.age) x",
                    QueryOptions.DEFAULT))
        .isInstanceOfSatisfying(
            QueryException.class,
            e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.ORDER_NOT_INDEXED));
  }

  @Test
  void runsTheDeepestNesting() {
    String sql = "SELECT DISTINCT VALUE c.city FROM c";
    for (int i = 0; i < 48; i++) {
      sql = "SELECT DISTINCT VALUE x" + i + " FROM (" + sql + ") x" + i;
    }
    assertThat(store.rows(sql, QueryOptions.DEFAULT))
        .extracting(JsonNode::toString)
        .containsExactlyInAnyOrder("\"Oslo\"", "\"Rome\"", "null");
  }

  @Test
  void rejectsRootOfCombinedRows() {
    assertThatThrownBy(
            () ->
                store.rows(
                    "SELECT VALUE t FROM (SELECT DISTINCT c.city FROM c) x JOIN t IN ROOT.tags",
                    QueryOptions.DEFAULT))
        .isInstanceOf(QueryException.class)
        .hasMessage("INVALID_QUERY: Identifier 'ROOT' could not be resolved.");
  }
}
