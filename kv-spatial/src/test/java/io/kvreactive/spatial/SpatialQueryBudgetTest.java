package io.kvreactive.spatial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.SqlQuery;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The work of spatial functions counts against the time of a query, also within a call. */
@ExtendWith(VertxExtension.class)
class SpatialQueryBudgetTest {
  private static final int POSITIONS = 8000;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private Kv kv;
  private DocumentStore index;

  @BeforeEach
  void open(Vertx vertx) {
    kv = Kv.open(vertx, KvOptions.inMemory().withName("budget")).block(PATIENCE);
    index =
        DocumentStore.over(
            kv, DocumentStoreOptions.DEFAULT.withMaxQueryTime(Duration.ofSeconds(1)));
  }

  @AfterEach
  void close() {
    index.close().block(PATIENCE);
    kv.close().block(PATIENCE);
  }

  /** Without the limit, the call takes several seconds. */
  @Test
  void endsACallThatExceedsTheTime() {
    DocumentCollection<JsonNode> items =
        index.collection("c", JsonNode.class, CollectionDefinition.DEFAULT);
    items.upsert(TestShapes.json("{'id': '1'}")).block(PATIENCE);
    SqlQuery query =
        SqlQuery.of(
            "SELECT VALUE ST_WITHIN(@line, @line) FROM c",
            Map.of("line", ShapeCostProbe.SHAPES.get("overlapping edges").apply(POSITIONS)));
    assertThatThrownBy(() -> items.query(query, JsonNode.class).blockLast(PATIENCE))
        .isInstanceOfSatisfying(
            DocumentException.class,
            e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.QUERY_BUDGET_EXCEEDED));
  }
}
