package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.QueryException;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.internal.value.Json;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of queries that must not scan all items. */
class EnableScanTest {
  private static final String ONLY_AGE =
      """
      {"indexingPolicy": {"includedPaths": [{"path": "/age/?"}], "excludedPaths": [{"path": "/*"}]}}
      """;
  private static final String NO_INDEXES = "{\"indexingPolicy\": {\"indexingMode\": \"none\"}}";

  private static final List<ObjectNode> PEOPLE =
      List.of(
          (ObjectNode) Json.parse("{\"id\": \"a\", \"age\": 30, \"city\": \"oslo\"}"),
          (ObjectNode) Json.parse("{\"id\": \"b\", \"age\": 40, \"city\": \"rome\"}"));

  private static SqlQuery withoutScan(String sql) {
    return SqlQuery.of(sql).withOptions(QueryOptions.DEFAULT.withEnableScan(false));
  }

  private static QueryStore store(String definition) {
    QueryStore store = new QueryStore(Definitions.parse(definition), DocumentStoreOptions.DEFAULT);
    store.fill(PEOPLE);
    return store;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      value = {
        "SELECT * FROM c; SELECT * FROM c",
        "SELECT TOP 1 * FROM c; SELECT TOP 1 * FROM c",
        "SELECT * FROM c WHERE c.city = 'oslo'; c.city = 'oslo'",
        "SELECT * FROM c WHERE c.age > 3 OR c.city = 'oslo'; c.age > 3 OR c.city = 'oslo'",
        "SELECT COUNT(1) FROM c WHERE c.city = 'oslo'; c.city = 'oslo'",
        "SELECT VALUE x FROM (SELECT VALUE c.age FROM c) AS x;"
            + " SELECT VALUE x FROM (SELECT VALUE c.age FROM c) AS x",
      })
  void rejectsQueriesThatNoIndexServes(String sql, String place) {
    try (QueryStore store = store(ONLY_AGE)) {
      QueryException refused =
          catchThrowableOfType(QueryException.class, () -> store.page(withoutScan(sql)));
      assertThat(refused.code()).isEqualTo(DocumentErrorCode.SCAN_NOT_ENABLED);
      assertThat(sql.substring(refused.start(), refused.end())).isEqualTo(place);
      assertThat(store.page(SqlQuery.of(sql)).items()).isNotEmpty();
      assertThat(
              Objects.requireNonNull(
                      store.items.explain(withoutScan(sql)).block(QueryStore.PATIENCE))
                  .plan()
                  .get("class")
                  .asText())
          .isEqualTo("fullScan");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT * FROM c WHERE c.age > 3",
        "SELECT * FROM c WHERE c.age > 3 AND c.city = 'oslo'",
        "SELECT * FROM c ORDER BY c.age",
        "SELECT * FROM c WHERE c.city = 'oslo' ORDER BY c.age",
        "SELECT * FROM c WHERE c.id = 'a'",
        "SELECT VALUE 1",
      })
  void answersQueriesThatAnIndexServes(String sql) {
    try (QueryStore store = store(ONLY_AGE)) {
      assertThat(store.page(withoutScan(sql)).items()).isNotEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"c.age = 30", "c.id = 'a'"})
  void rejectsAllQueriesWithoutIndexes(String condition) {
    try (QueryStore store = store(NO_INDEXES)) {
      String sql = "SELECT * FROM c WHERE " + condition;
      assertThatExceptionOfType(QueryException.class)
          .isThrownBy(() -> store.page(withoutScan(sql)))
          .satisfies(e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.SCAN_NOT_ENABLED));
      assertThat(store.page(SqlQuery.of(sql)).items()).hasSize(1);
    }
  }

  /** Both executions share one cached plan. */
  @Test
  void appliesTheOptionToEachExecution() {
    try (QueryStore store = store(ONLY_AGE)) {
      String sql = "SELECT * FROM c WHERE c.city = 'oslo'";
      for (int i = 0; i < 2; i++) {
        assertThat(store.page(SqlQuery.of(sql)).items()).hasSize(1);
        assertThatExceptionOfType(QueryException.class)
            .isThrownBy(() -> store.page(withoutScan(sql)));
      }
    }
  }
}
