package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.SqlQuery;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Checks that many long rows of one item are not held in memory together. */
class LargeRowsTest {
  private static final int ELEMENTS = 1000;
  private static final String QUERY =
      "SELECT VALUE CONCAT(c.s, GetCurrentDateTime()) FROM c JOIN t IN c.a";

  private final CountingClock clock = new CountingClock();
  private final QueryStore store =
      new QueryStore(CollectionDefinition.DEFAULT, DocumentStoreOptions.DEFAULT.withClock(clock));

  @AfterEach
  void close() {
    store.close();
  }

  private void fill(int length) {
    ObjectNode item = JsonNodeFactory.instance.objectNode().put("id", "1");
    item.put("s", "s".repeat(length));
    ArrayNode numbers = item.putArray("a");
    for (int i = 0; i < ELEMENTS; i++) {
      numbers.add(i);
    }
    store.fill(List.of(item));
  }

  @Test
  void producesFewMoreRowsThanFitAPage() {
    fill(1 << 20);
    long before = clock.reads();
    QueryPage<JsonNode> page =
        store.page(SqlQuery.of(QUERY).withOptions(QueryOptions.DEFAULT.withMaxItemCount(ELEMENTS)));

    assertThat(page.items()).hasSize(3);
    assertThat(page.continuation()).isNotNull();
    assertThat(clock.reads() - before).isLessThan(50);
  }

  @Test
  void returnsAllRows() {
    fill(10_000);
    SqlQuery query = SqlQuery.of(QUERY).withOptions(QueryOptions.DEFAULT.withMaxItemCount(700));

    assertThat(store.rows(query)).hasSize(ELEMENTS);
    assertThat(store.pages(query, () -> {})).hasSize(ELEMENTS);
  }
}
