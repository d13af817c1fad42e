package io.kvreactive.index.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.DocumentStoreOptions;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.SqlQuery;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ParameterBudgetTest {
  @Test
  void reportsTheBudgetIfAParameterExceedsTheTime() {
    SqlQuery query =
        SqlQuery.of(
            "SELECT VALUE 1 FROM c WHERE c.a = @texts",
            Map.of("texts", Collections.nCopies(50_000, Collections.nCopies(10, "text"))));
    try (QueryStore store =
        new QueryStore(
            CollectionDefinition.DEFAULT,
            DocumentStoreOptions.DEFAULT.withMaxQueryTime(Duration.ofMillis(1)))) {
      assertThatThrownBy(
              () -> store.items.query(query, JsonNode.class).blockLast(QueryStore.PATIENCE))
          .isInstanceOfSatisfying(
              IndexException.class,
              e -> assertThat(e.code()).isEqualTo(IndexErrorCode.QUERY_BUDGET_EXCEEDED));
    }
  }
}
