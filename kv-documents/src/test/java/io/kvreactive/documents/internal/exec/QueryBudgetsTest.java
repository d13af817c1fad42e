package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.SqlQuery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the step and time budgets of a whole query. */
class QueryBudgetsTest {
  private static final int ITEMS = 50;
  private static final int ELEMENTS = 20;
  private static final long STEPS = 10_000;

  /** A query over 50 items with 8,000 rows each, which is within the limit of one item. */
  private static final SqlQuery PRODUCT =
      SqlQuery.of("SELECT VALUE COUNT(1) FROM c JOIN x IN c.t JOIN y IN c.t JOIN z IN c.t");

  private static QueryStore store(DocumentStoreOptions options) {
    QueryStore store = new QueryStore(CollectionDefinition.DEFAULT, options);
    List<ObjectNode> items = new ArrayList<>();
    for (int i = 0; i < ITEMS; i++) {
      ObjectNode item = JsonNodeFactory.instance.objectNode().put("id", "" + i);
      ArrayNode elements = item.putArray("t");
      for (int j = 0; j < ELEMENTS; j++) {
        elements.add(j);
      }
      items.add(item);
    }
    store.fill(items);
    return store;
  }

  private static void assertExceeded(Runnable query) {
    assertThatThrownBy(query::run)
        .isInstanceOfSatisfying(
            DocumentException.class,
            e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.QUERY_BUDGET_EXCEEDED));
  }

  @Test
  void sumsStepsOverAllItemsOfAPageOrStream() {
    try (QueryStore store = store(DocumentStoreOptions.DEFAULT.withMaxQuerySteps(STEPS))) {
      assertExceeded(() -> store.page(PRODUCT));
      assertExceeded(() -> store.rows(PRODUCT));
      assertExceeded(
          () -> store.rows(SqlQuery.of(PRODUCT.text().replace("COUNT(1)", "x") + " ORDER BY x")));
      assertExceeded(
          () ->
              store.rows(
                  SqlQuery.of("SELECT VALUE 1 FROM c WHERE (" + inner(PRODUCT.text()) + ") < 0")));
    }
  }

  private static String inner(String sql) {
    return sql.replace("FROM c JOIN x IN c.t", "FROM x IN c.t");
  }

  @Test
  void grantsAStreamTheBudgetsOfAPagePerThousandRows() {
    try (QueryStore store = store(DocumentStoreOptions.DEFAULT.withMaxQuerySteps(STEPS))) {
      SqlQuery rows = SqlQuery.of("SELECT VALUE y FROM c JOIN x IN c.t JOIN y IN c.t");
      assertThat(store.rows(rows)).hasSize(ITEMS * ELEMENTS * ELEMENTS);
      SqlQuery few = rows.withOptions(QueryOptions.DEFAULT.withMaxItemCount(700));
      List<JsonNode> paged = store.pages(few, () -> {});
      assertThat(paged).hasSize(ITEMS * ELEMENTS * ELEMENTS);
      assertExceeded(
          () -> store.page(rows.withOptions(QueryOptions.DEFAULT.withMaxItemCount(100_000))));
    }
  }

  @Test
  void countsTimeOnWorkers() {
    SqlQuery endless =
        SqlQuery.of(
            "SELECT VALUE COUNT(1) FROM c JOIN v IN c.t JOIN w IN c.t JOIN x IN c.t JOIN y IN c.t"
                + " JOIN z IN c.t");
    try (QueryStore store =
        store(DocumentStoreOptions.DEFAULT.withMaxQueryTime(Duration.ofMillis(100)))) {
      assertExceeded(() -> store.page(endless));
      assertExceeded(() -> store.rows(endless));
    }
  }

  @Test
  void rejectsBudgetsOfZero() {
    assertThatThrownBy(() -> DocumentStoreOptions.DEFAULT.withMaxQuerySteps(0))
        .hasMessageContaining("maxQuerySteps: 0 (expected: at least 1)");
    assertThatThrownBy(() -> DocumentStoreOptions.DEFAULT.withMaxQueryTime(Duration.ZERO))
        .hasMessageContaining("maxQueryTime: PT0S (expected: 1 ms to 365 days)");
  }
}
