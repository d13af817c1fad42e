package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.documents.testkit.TestStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A search of a large vector index, which cannot yield, does not keep other queries waiting. */
class LongSearchTest {
  private static final int ITEMS = 1000; // the smallest number that is searched in a structure

  private static final SqlQuery CLOSEST =
      SqlQuery.of("SELECT TOP 2 VALUE c.n FROM c ORDER BY VectorDistance(c.v, [1,0])");

  private static CollectionDefinition definition() {
    return Definitions.parse(
        """
        {"indexingPolicy": {"includedPaths": [{"path": "/*"}], "excludedPaths": [{"path": "/v/*"}],
          "vectorIndexes": [{"path": "/v", "type": "quantizedFlat"}]},
         "vectorEmbeddingPolicy": {"vectorEmbeddings": [
          {"path": "/v", "dataType": "float32", "dimensions": 2, "distanceFunction": "cosine"}]}}""");
  }

  @Test
  void doesNotKeepOtherQueriesWaiting() throws Exception {
    try (HeldSearches held = HeldSearches.open();
        QueryStore store = new QueryStore(definition(), DocumentStoreOptions.DEFAULT)) {
      store.fill(
          IntStream.range(0, ITEMS)
              .mapToObj(
                  n ->
                      (ObjectNode)
                          Json.parse("{\"id\":\"%d\",\"n\":%d,\"v\":[1,%d]}".formatted(n, n, n)))
              .toList());
      TestStore.await(
          () -> {
            store.rows(CLOSEST);
            return held.searches.get() > 0;
          });

      held.gate = new CountDownLatch(1);
      held.searches.set(0);
      int threads = Runtime.getRuntime().availableProcessors();
      List<CompletableFuture<List<JsonNode>>> searches = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        searches.add(store.items.query(CLOSEST, JsonNode.class).collectList().toFuture());
      }
      TestStore.await(() -> held.searches.get() == threads);

      assertThat(store.rows(SqlQuery.of("SELECT VALUE COUNT(1) FROM c")).toString())
          .isEqualTo("[1000]");
      assertThat(searches).noneMatch(CompletableFuture::isDone);
      held.gate.countDown();
      for (CompletableFuture<List<JsonNode>> search : searches) {
        assertThat(search.get(60, TimeUnit.SECONDS).toString()).isEqualTo("[0, 1]");
      }
    }
  }
}
