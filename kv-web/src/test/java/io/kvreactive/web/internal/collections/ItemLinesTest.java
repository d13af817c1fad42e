package io.kvreactive.web.internal.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.LoadProgress;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.IndexingMode;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.http.ByteBudget;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;

/** Memory of the lines of a load. */
@ExtendWith(VertxExtension.class)
class ItemLinesTest {
  private static final String TEXT = "x".repeat(500_000);

  private final AtomicLong held = new AtomicLong();
  private Kv kv;
  private DocumentStore index;
  private DocumentCollection<ObjectNode> items;

  @BeforeEach
  void open(Vertx vertx) {
    kv = Kv.inMemory(vertx).block(TestServer.TIMEOUT);
    index = DocumentStore.over(kv);
    items =
        index.collection(
            "c",
            ObjectNode.class,
            CollectionDefinition.DEFAULT.withIndexingPolicy(
                IndexingPolicy.DEFAULT.withIndexingMode(IndexingMode.NONE)));
  }

  @AfterEach
  void close() {
    index.close().block(TestServer.TIMEOUT);
    kv.close().block(TestServer.TIMEOUT);
  }

  /** Lines of half a megabyte, of which a load would request 256. */
  private Flux<String> lines(ByteBudget budget, int count) {
    return Flux.range(0, count)
        .map(i -> "{\"id\":\"" + i % 20 + "\",\"n\":" + i + ",\"text\":\"" + TEXT + "\"}")
        .doOnNext(line -> held.accumulateAndGet(budget.taken(), Math::max));
  }

  private Flux<LoadProgress> load(ByteBudget budget, ByteBudget trees, int lines) {
    return ItemLines.load(items, lines(budget, lines), budget.share(), trees.share());
  }

  @Test
  void holdsFewLargeItemsAtATime() {
    ByteBudget budget = new ByteBudget("lines", Long.MAX_VALUE);
    ByteBudget trees = new ByteBudget("trees", Long.MAX_VALUE);
    List<LoadProgress> told = load(budget, trees, 100).collectList().block(TestServer.TIMEOUT);
    LoadProgress last = told.get(told.size() - 1);
    assertThat(last.entries()).isEqualTo(100);
    assertThat(last.bytes()).isBetween(100L * TEXT.length(), 101L * TEXT.length());
    assertThat(told).extracting(LoadProgress::entries).isSorted();
    assertThat(told).extracting(LoadProgress::elapsed).isSorted();
    assertThat(held.get()).as("held of 50 MB").isLessThan(16 << 20);
    assertThat(budget.taken()).isZero();
    assertThat(trees.taken()).isZero();
    assertThat(items.read("19").block(TestServer.TIMEOUT).value().get("n").intValue())
        .isEqualTo(99);
  }

  @Test
  void reportsTheMemoryLimitAfterStoringThePrecedingItems() {
    ByteBudget budget = new ByteBudget("lines", 2_200_000);
    ByteBudget trees = new ByteBudget("trees", Long.MAX_VALUE);
    assertThatThrownBy(() -> load(budget, trees, 20).blockLast(TestServer.TIMEOUT))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.OVERLOADED));
    assertThat(items.query("SELECT * FROM c").count().block(TestServer.TIMEOUT)).isEqualTo(4);
    assertThat(budget.taken()).isZero();
  }

  @Test
  void rejectsItemsThatNeedTooMuchMemoryBeforeParsing() {
    ByteBudget trees = new ByteBudget("trees", 100_000);
    ByteBudget budget = new ByteBudget("lines", Long.MAX_VALUE);
    assertThatThrownBy(() -> load(budget, trees, 1).blockLast(TestServer.TIMEOUT))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.LIMIT_EXCEEDED));
    assertThat(items.query("SELECT * FROM c").count().block(TestServer.TIMEOUT)).isZero();
    assertThat(trees.taken()).isZero();
  }
}
