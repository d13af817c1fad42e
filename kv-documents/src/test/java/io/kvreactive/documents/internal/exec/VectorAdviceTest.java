package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.Explanation;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.VectorEmbedding;
import io.kvreactive.documents.VectorIndex;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of index metrics and advice for queries with VectorDistance. */
class VectorAdviceTest {
  private static final String ORDER = " * FROM c ORDER BY VectorDistance(c.v, [1,0])";

  private final QueryStore store =
      new QueryStore(
          CollectionDefinition.DEFAULT
              .withVectorEmbeddings(new VectorEmbedding("/v", "float32", 2, "cosine"))
              .withIndexingPolicy(
                  CollectionDefinition.DEFAULT
                      .indexingPolicy()
                      .withExcluded("/v/*")
                      .withVector(new VectorIndex("/v", "flat"))),
          DocumentStoreOptions.DEFAULT);

  @AfterEach
  void close() {
    store.close();
  }

  private Explanation explain(String sql) {
    return Objects.requireNonNull(store.items.explain(SqlQuery.of(sql)).block(QueryStore.PATIENCE));
  }

  @Test
  void reportsTheVectorIndexOfTheOrderInMetrics() {
    JsonNode used = explain("SELECT TOP 3" + ORDER).indexMetrics().get("UtilizedSingleIndexes");
    assertThat(used)
        .hasToString(
            "[{\"FilterExpression\":\"\",\"IndexSpec\":\"/v\",\"FilterPreciseSet\":true,"
                + "\"IndexPreciseSet\":true,\"IndexImpactScore\":\"High\","
                + "\"IndexType\":\"vector\"}]");
    String filtered = "SELECT TOP 3 * FROM c WHERE c.f = 1 ORDER BY VectorDistance(c.v, [1,0])";
    assertThat(explain(filtered).indexMetrics().at("/UtilizedSingleIndexes"))
        .extracting(one -> one.get("IndexSpec").asText() + " " + one.path("IndexType").asText())
        .containsExactly("/f/? ", "/v vector");
    assertThat(explain("SELECT" + ORDER).indexMetrics().get("UtilizedSingleIndexes")).isEmpty();
  }

  @Test
  void advisesAgainstAnOrderWithoutALimit() {
    JsonNode advice = explain("SELECT" + ORDER).plan().get("advice");
    assertThat(advice).hasSize(1);
    assertThat(advice.get(0).asText())
        .startsWith("ORDER BY VectorDistance without TOP or LIMIT")
        .endsWith("Add TOP n or OFFSET m LIMIT n.");
    assertThat(explain("SELECT TOP 3" + ORDER).plan().has("advice")).isFalse();
    assertThat(explain("SELECT" + ORDER + " OFFSET 0 LIMIT 3").plan().has("advice")).isFalse();
    assertThat(explain("SELECT * FROM c ORDER BY c.f").plan().has("advice")).isFalse();
  }
}
