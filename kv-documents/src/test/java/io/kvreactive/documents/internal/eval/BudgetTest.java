package io.kvreactive.documents.internal.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.internal.value.Json;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BudgetTest {
  private static final List<JsonNode> WIDE = List.of(wide());

  private static JsonNode wide() {
    ArrayNode numbers = JsonNodeFactory.instance.arrayNode();
    for (int i = 0; i < 1000; i++) {
      numbers.add(i);
    }
    return JsonNodeFactory.instance.objectNode().set("a", numbers);
  }

  private static void assertStopped(String query, Budget budget, String message) {
    assertThatThrownBy(() -> InMemoryQuery.run(Answers.bound(query), WIDE, Answers.CONTEXT, budget))
        .isInstanceOfSatisfying(
            DocumentException.class,
            e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.QUERY_BUDGET_EXCEEDED))
        .hasMessageContaining(message);
  }

  /** Each query produces at least 10^9 rows from an item of a thousand numbers. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT VALUE COUNT(1) FROM c JOIN x IN c.a JOIN y IN c.a JOIN z IN c.a",
        "SELECT VALUE 1 FROM c JOIN x IN c.a JOIN y IN c.a JOIN z IN c.a WHERE x + y + z < 0",
        "SELECT VALUE 1 FROM c WHERE EXISTS(SELECT 1 FROM x IN c.a JOIN y IN c.a JOIN z IN c.a WHERE x > z + y + 9999)",
        "SELECT VALUE (SELECT VALUE SUM((SELECT VALUE SUM((SELECT VALUE SUM(z) FROM z IN c.a)) FROM y IN c.a)) FROM x IN c.a) FROM c",
        "SELECT DISTINCT VALUE 1 FROM c JOIN x IN c.a JOIN y IN c.a JOIN z IN c.a",
        "SELECT VALUE 1 FROM c JOIN x IN c.a JOIN y IN c.a JOIN z IN c.a OFFSET 2000000000 LIMIT 1",
        "SELECT VALUE LAST(SELECT VALUE x FROM x IN c.a JOIN y IN c.a JOIN z IN c.a) FROM c"
      })
  void stopsLongRuns(String query) {
    assertStopped(query, new LimitedBudget(100_000, 1 << 20), "more than 100000 steps");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT VALUE x FROM c JOIN x IN c.a JOIN y IN c.a ORDER BY x",
        "SELECT DISTINCT VALUE [x, y] FROM c JOIN x IN c.a JOIN y IN c.a",
        "SELECT x, y FROM c JOIN x IN c.a JOIN y IN c.a GROUP BY x, y",
        "SELECT VALUE EXISTS(SELECT DISTINCT x, y FROM x IN c.a JOIN y IN c.a OFFSET 999999 LIMIT 5) FROM c"
      })
  void countsHeldValues(String query) {
    assertStopped(query, new LimitedBudget(Long.MAX_VALUE, 1 << 20), "more than 1048576 bytes");
  }

  @Test
  void aggregatesWithLittleMemory() {
    LimitedBudget budget = new LimitedBudget(Long.MAX_VALUE, 1000);
    List<JsonNode> rows =
        InMemoryQuery.run(
            Answers.bound("SELECT COUNT(1) AS n, MAX(x) AS m FROM c JOIN x IN c.a JOIN y IN c.a"),
            WIDE,
            Answers.CONTEXT,
            budget);
    assertThat(rows).containsExactly(Json.parse("{\"n\": 1000000, \"m\": 999}"));
  }

  @Test
  void releasesTheMemoryOfASubquery() {
    LimitedBudget budget = new LimitedBudget(Long.MAX_VALUE, 1 << 20);
    String query =
        "SELECT VALUE FIRST(SELECT VALUE y FROM y IN c.a ORDER BY y DESC) FROM c JOIN x IN c.a";
    assertThat(InMemoryQuery.run(Answers.bound(query), WIDE, Answers.CONTEXT, budget))
        .hasSize(1000)
        .allMatch(value -> value.intValue() == 999);
    assertThat(budget.bytes()).isZero();
  }

  @Test
  void stopsACancelledRun() {
    LimitedBudget budget = new LimitedBudget(Long.MAX_VALUE, Long.MAX_VALUE);
    Iterator<Row> rows =
        QueryProgram.of(Answers.bound("SELECT VALUE x FROM c JOIN x IN c.a"))
            .expand(WIDE.get(0), Answers.CONTEXT, budget);
    assertThat(rows.hasNext()).isTrue();
    budget.cancel();
    rows.next();
    assertThatThrownBy(rows::hasNext).hasMessageContaining("cancelled");
  }

  @Test
  void producesRowsOnDemand() {
    LimitedBudget budget = new LimitedBudget(100, 1000);
    Iterator<Row> rows =
        QueryProgram.of(Answers.bound("SELECT 1 FROM c JOIN x IN c.a JOIN y IN c.a JOIN z IN c.a"))
            .expand(WIDE.get(0), Answers.CONTEXT, budget);
    for (int i = 0; i < 10; i++) {
      rows.next();
    }
    assertThat(budget.steps()).isLessThan(20);
  }

  /** A term of WHERE is evaluated before the sources that it does not need. */
  @Test
  void filtersBeforeLaterJoins() {
    LimitedBudget budget = new LimitedBudget(100_000, 1 << 20);
    String query =
        "SELECT VALUE [x, y, z] FROM c JOIN x IN c.a JOIN y IN c.a JOIN z IN c.a"
            + " WHERE z = 3 AND x = 1 AND y = 2";
    assertThat(InMemoryQuery.run(Answers.bound(query), WIDE, Answers.CONTEXT, budget))
        .containsExactly(Json.parse("[1, 2, 3]"));
  }

  /** A short query for a value with 2^24 parts. */
  @Test
  void countsSharedPartsOfValues() {
    String query = "SELECT VALUE s FROM (SELECT VALUE [1, 1] FROM c) AS s";
    for (int i = 0; i < 23; i++) {
      query = "SELECT VALUE s FROM (SELECT VALUE [s, s] FROM (" + query + ") AS s) AS s";
    }
    assertStopped(query, Budget.unlimited(), "parts");
  }

  @Test
  void evaluatesWideExpressionsWithoutRecursion() {
    String or = String.join("", Collections.nCopies(5_999, "c.x = 1 OR ")) + "c.a[5] = 5";
    assertThat(Answers.of("SELECT VALUE 1 FROM c WHERE " + or, "[{\"a\":[0,1,2,3,4,5]}]"))
        .hasSize(1);
    String deep = String.join("", Collections.nCopies(250, "1 + ")) + "c.n";
    assertThat(Answers.of("SELECT VALUE " + deep + " FROM c", "[{\"n\": 5}]").get(0).intValue())
        .isEqualTo(255);
  }
}
