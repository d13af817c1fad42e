package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.internal.worker.WorkerThread;
import io.kvreactive.documents.testkit.TestStore;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;

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

  @Test
  void dropsNoErrorIfARowIsCancelledWhileItIsConverted() {
    Queue<Throwable> dropped = new ConcurrentLinkedQueue<>();
    Hooks.onErrorDropped(dropped::add);
    try {
      Disposable.Swap asked = Disposables.swap();
      Cancelling.CANCEL.set(asked::dispose);
      asked.update(
          store.items.query(SqlQuery.of("SELECT VALUE c.id FROM c"), Cancelling.class).subscribe());
      TestStore.await(Cancelling.ENDED::get);
      occupyWorkers(query -> store.items.query(query, JsonNode.class));
      assertThat(dropped).isEmpty();
    } finally {
      Hooks.resetOnErrorDropped();
    }
  }

  /** A row whose conversion cancels the query. */
  @JsonDeserialize(using = Cancelling.Converter.class)
  private static final class Cancelling {
    static final AtomicReference<Runnable> CANCEL = new AtomicReference<>();
    static final AtomicBoolean ENDED = new AtomicBoolean();

    static final class Converter extends JsonDeserializer<Cancelling> {
      @Override
      public Cancelling deserialize(JsonParser tokens, DeserializationContext context) {
        CANCEL.get().run();
        try {
          for (; ; ) {
            WorkerThread.checkpoint();
          }
        } finally {
          ENDED.set(true);
        }
      }
    }
  }

  private void assertReleasesWorkers(Function<SqlQuery, Publisher<?>> ask) {
    long before = clock.reads();
    Disposable asked = Flux.from(ask.apply(ENDLESS)).subscribe();
    TestStore.await(() -> clock.reads() > before + 20);
    asked.dispose();
    occupyWorkers(ask);
  }

  private static void occupyWorkers(Function<SqlQuery, Publisher<?>> ask) {
    SqlQuery other = SqlQuery.of("SELECT VALUE c.id FROM c");
    assertThat(
            Flux.range(0, 2 * WORKERS)
                .flatMap(i -> ask.apply(other), 2 * WORKERS)
                .collectList()
                .block(QueryStore.PATIENCE))
        .hasSize(2 * WORKERS);
  }
}
