package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.QueryUpdate;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.WriteOptions;
import io.kvreactive.documents.internal.value.Json;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Tests of watched queries. */
class WatchQueryTest {
  private final QueryStore store = new QueryStore(IndexingPolicy.DEFAULT);

  @AfterEach
  void close() {
    store.close();
  }

  private static ObjectNode item(String id, int f) {
    return (ObjectNode) Json.parse("{\"id\":\"" + id + "\",\"f\":" + f + "}");
  }

  private void write(String id, int f) {
    store.items.upsert(item(id, f), WriteOptions.DEFAULT).block(QueryStore.PATIENCE);
  }

  private Flux<String> watch(String sql) {
    return store.items.watchQuery(SqlQuery.of(sql), JsonNode.class).map(WatchQueryTest::text);
  }

  private static String text(QueryUpdate<JsonNode> update) {
    if (update instanceof QueryUpdate.Insert<JsonNode> insert) {
      return "+" + insert.id() + insert.row();
    }
    if (update instanceof QueryUpdate.Update<JsonNode> changed) {
      return "=" + changed.id() + changed.row();
    }
    return update instanceof QueryUpdate.Remove<JsonNode> remove ? "-" + remove.id() : "synced";
  }

  @Test
  void emitsRowsThenChanges() {
    store.fill(List.of(item("a", 5), item("b", 1), item("c", 7)));
    StepVerifier.create(watch("SELECT VALUE c.f FROM c WHERE c.f > 3 ORDER BY c.f DESC"))
        .expectNext("+c7", "+a5", "synced")
        .then(() -> write("b", 4))
        .expectNext("+b4")
        .then(() -> write("a", 6))
        .expectNext("=a6")
        .then(() -> write("a", 2))
        .expectNext("-a")
        .then(() -> write("a", 1))
        .then(() -> store.items.delete("c").block(QueryStore.PATIENCE))
        .expectNext("-c")
        .then(() -> write("d", 9))
        .expectNext("+d9")
        .thenCancel()
        .verify(QueryStore.PATIENCE);
  }

  @Test
  void emitsNothingAheadOfDemand() {
    store.fill(List.of(item("a", 5), item("b", 6)));
    StepVerifier.create(watch("SELECT VALUE c.f FROM c"), 0)
        .thenRequest(1)
        .expectNext("+a5")
        .then(() -> write("a", 8))
        .thenRequest(3)
        .expectNext("+b6", "synced", "=a8")
        .thenCancel()
        .verify(QueryStore.PATIENCE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT VALUE COUNT(1) FROM c",
        "SELECT * FROM x IN c.tags",
        "SELECT c.id FROM c JOIN t IN c.tags",
        "SELECT DISTINCT VALUE c.f FROM c",
        "SELECT TOP 3 * FROM c",
        "SELECT * FROM c OFFSET 1 LIMIT 2",
        "SELECT c.f FROM c GROUP BY c.f"
      })
  void rejectsQueriesThatCombineItems(String sql) {
    StepVerifier.create(watch(sql))
        .expectErrorSatisfies(
            error ->
                assertThat(error)
                    .isInstanceOfSatisfying(
                        DocumentException.class,
                        e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.INVALID_QUERY)))
        .verify(QueryStore.PATIENCE);
  }
}
