package io.kvreactive.index.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.DocumentStoreOptions;
import io.kvreactive.index.SqlQuery;
import io.kvreactive.index.testkit.TestStore;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** Checks that cancelling a query releases its worker, even before the first row. */
class CancelledQueriesTest {
  private static final int WORKERS = Math.max(2, Runtime.getRuntime().availableProcessors());

  /** A query that takes hours for one item. */
  private static final SqlQuery ENDLESS =
      SqlQuery.of(
          "SELECT COUNT(1) FROM c JOIN x IN c.t JOIN y IN c.t JOIN z IN c.t"
              + " WHERE GetCurrentDateTime() > '' AND LENGTH(REPLACE(REPLICATE(c.a, 10000), c.a,"
              + " REPLICATE('b', x + y + z))) = 0");

  private final CountingClock clock = new CountingClock();
  private final QueryStore store =
      new QueryStore(CollectionDefinition.DEFAULT, DocumentStoreOptions.DEFAULT.withClock(clock));

  @BeforeEach
  void fill() {
    ObjectNode item = JsonNodeFactory.instance.objectNode().put("id", "1").put("a", "a");
    ArrayNode numbers = item.putArray("t");
    for (int i = 0; i < 300; i++) {
      numbers.add(i);
    }
    store.fill(List.of(item));
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void stopsSearchingRowsOnCancellation() {
    assertReleasesWorkers(query -> store.items.query(query, JsonNode.class));
  }

  @Test
  void stopsSearchingPagesOnCancellation() {
    assertReleasesWorkers(query -> store.items.page(query, JsonNode.class));
  }

  private void assertReleasesWorkers(Function<SqlQuery, Publisher<?>> ask) {
    long before = clock.reads();
    Disposable asked = Flux.from(ask.apply(ENDLESS)).subscribe();
    TestStore.await(() -> clock.reads() > before + 20);
    asked.dispose();

    // occupies every worker
    SqlQuery other = SqlQuery.of("SELECT VALUE c.id FROM c");
    assertThat(
            Flux.range(0, 2 * WORKERS)
                .flatMap(i -> ask.apply(other), 2 * WORKERS)
                .collectList()
                .block(QueryStore.PATIENCE))
        .hasSize(2 * WORKERS);
  }
}
