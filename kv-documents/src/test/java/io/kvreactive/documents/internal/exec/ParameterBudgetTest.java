package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.SqlQuery;
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
              DocumentException.class,
              e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.QUERY_BUDGET_EXCEEDED));
    }
  }
}
