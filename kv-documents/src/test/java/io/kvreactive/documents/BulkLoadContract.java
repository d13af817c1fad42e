package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.all;
import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvLimits;
import io.kvreactive.LoadOptions;
import io.kvreactive.LoadProgress;
import io.kvreactive.documents.internal.StoredKeys;
import io.kvreactive.documents.testkit.ManualClock;
import io.kvreactive.documents.testkit.TestStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** The contract of bulk loading. */
abstract class BulkLoadContract {
  private static final LoadOptions SMALL =
      LoadOptions.DEFAULT.withBatchEntries(100).withConcurrency(4);
  private static final IndexingPolicy POLICY =
      IndexingPolicy.DEFAULT.withComposite(
          CompositePath.ascending("/a"), CompositePath.descending("/b"));

  private final ManualClock clock = new ManualClock();
  private TestStore store = open();
  private DocumentStore index =
      DocumentStore.over(store.kv(), DocumentStoreOptions.DEFAULT.withClock(clock));

  abstract TestStore open();

  TestStore open(KvLimits limits) {
    return TestStore.withLimits(limits);
  }

  @AfterEach
  void end() {
    orNull(index.close());
    store.close();
  }

  private void use(TestStore other, DocumentStoreOptions options) {
    end();
    store = other;
    index = DocumentStore.over(other.kv(), options);
  }

  private DocumentCollection<ObjectNode> items(CollectionDefinition definition) {
    return index.collection("c", ObjectNode.class, definition);
  }

  private DocumentCollection<ObjectNode> items() {
    return items(CollectionDefinition.DEFAULT.withIndexingPolicy(POLICY));
  }

  private static ObjectNode item(int i, int a) {
    return JsonNodeFactory.instance.objectNode().put("id", "i" + i).put("a", a).put("b", "b" + i);
  }

  private static Flux<ObjectNode> items(int from, int to, int a) {
    return Flux.range(from, to - from).map(i -> item(i, a));
  }

  private static long count(DocumentCollection<ObjectNode> items, String where) {
    SqlQuery query = SqlQuery.of("SELECT VALUE COUNT(1) FROM c " + where);
    return all(items.query(query, Long.class)).get(0);
  }

  private static long commits(DocumentCollection<ObjectNode> items) {
    SqlQuery query = SqlQuery.of("SELECT DISTINCT VALUE c._etag FROM c");
    return all(items.query(query, String.class)).size();
  }

  @Test
  void storesAllItemsWithTheirEntriesInFewCommits() {
    DocumentCollection<ObjectNode> items = items();
    List<LoadProgress> told = all(items.load(items(0, 2050, 1), SMALL));

    assertThat(told).hasSize(21);
    assertThat(told)
        .extracting(LoadProgress::entries)
        .isEqualTo(IntStream.rangeClosed(1, 21).mapToObj(i -> Math.min(2050L, 100L * i)).toList());
    assertThat(told).extracting(LoadProgress::bytes).isSorted();
    assertThat(count(items, "WHERE c.a = 1")).isEqualTo(2050);
    assertThat(commits(items))
        .isBetween(21L, 30L); // more commits where document ids had to be reserved
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void limitsBatchesByBytes() {
    DocumentCollection<ObjectNode> items = items();
    LoadOptions few = SMALL.withBatchBytes(500);
    assertThat(all(items.load(items(0, 100, 1), few)).size())
        .isBetween(5, 10); // about 30 bytes per item
    Flux<ObjectNode> large = items(0, 5, 2).map(item -> item.put("text", "x".repeat(1000)));
    assertThat(all(items.load(large, few))).hasSize(5);
    assertThat(count(items, "WHERE c.a = 2")).isEqualTo(5);
  }

  @Test
  void replacesExistingItemsAndKeepsTheLastOfAnId() {
    DocumentCollection<ObjectNode> items = items();
    assertThat(all(items.load(Flux.empty()))).isEmpty();
    all(items.load(items(0, 500, 1)));
    Flux<ObjectNode> again =
        Flux.concat(items(250, 750, 2), items(0, 50, 3), items(0, 50, 4), items(700, 800, 5));
    List<LoadProgress> told = all(items.load(again, SMALL.withBatchEntries(70)));

    assertThat(told.get(told.size() - 1).entries()).isEqualTo(700);
    assertThat(count(items, "")).isEqualTo(800);
    assertThat(count(items, "WHERE c.a = 1")).isEqualTo(200);
    assertThat(count(items, "WHERE c.a = 2")).isEqualTo(450);
    assertThat(count(items, "WHERE c.a = 3")).isZero();
    assertThat(count(items, "WHERE c.a = 4")).isEqualTo(50);
    assertThat(count(items, "WHERE c.a = 5")).isEqualTo(100);
    StoredKeys.check(store.kv(), "c");

    all(items.load(Flux.range(1, 300).map(a -> item(0, a)), SMALL.withBatchEntries(3)));
    assertThat(count(items, "WHERE c.id = 'i0' AND c.a = 300")).isEqualTo(1);
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void stopsAtTheFirstInvalidItemAndKeepsThoseBefore() {
    DocumentCollection<ObjectNode> items = items();
    Flux<ObjectNode> bad =
        items(0, 300, 1)
            .map(item -> item.get("b").asText().equals("b230") ? item.put("id", 7) : item);
    assertFails(items, bad, DocumentErrorCode.INVALID_ITEM, "item 231 of the load: id");
    assertThat(count(items, "")).isEqualTo(230);

    ObjectNode wide = item(330, 8);
    IntStream.range(0, 11_000).forEach(i -> wide.put("p" + i, i));
    assertFails(
        items,
        items(300, 350, 8).map(item -> item.get("id").asText().equals("i330") ? wide : item),
        DocumentErrorCode.LIMIT_EXCEEDED,
        "item 31 of the load: ");
    assertThat(count(items, "WHERE c.a = 8")).isEqualTo(30);

    IllegalStateException lost = new IllegalStateException("lost");
    assertThatThrownBy(() -> all(items.load(items(400, 420, 6).concatWith(Flux.error(lost)))))
        .hasMessage("lost");
    assertThat(count(items, "WHERE c.a = 6")).isEqualTo(20);
    StoredKeys.check(store.kv(), "c");
  }

  private static void assertFails(
      DocumentCollection<ObjectNode> items,
      Flux<ObjectNode> load,
      DocumentErrorCode code,
      String message) {
    assertThatThrownBy(() -> all(items.load(load, SMALL)))
        .isInstanceOfSatisfying(
            DocumentException.class, e -> assertThat(e.code()).as("%s", e).isEqualTo(code))
        .hasMessageContaining(message);
  }

  @Test
  void enforcesUniqueValues() {
    DocumentCollection<ObjectNode> items =
        items(CollectionDefinition.DEFAULT.withUniqueKeys(UniqueKey.of("/u")));
    all(items.load(items(0, 200, 1).index((i, item) -> item.put("u", i)), SMALL));
    Flux<ObjectNode> taken =
        items(200, 300, 1).index((i, item) -> item.put("u", i == 40 ? 7 : i + 1000));
    assertFails(items, taken, DocumentErrorCode.ITEM_EXISTS, "item 41 of the load: ");
    assertThat(count(items, "")).isEqualTo(240);

    Flux<ObjectNode> twice = items(300, 400, 1).index((i, item) -> item.put("u", 2000 + i % 50));
    assertFails(items, twice, DocumentErrorCode.ITEM_EXISTS, "item 51 of the load: ");
    assertThat(count(items, "")).isEqualTo(290);

    // one item releases a value that another takes
    Flux<ObjectNode> moved = Flux.just(item(0, 1).put("u", 5000), item(500, 1).put("u", 0));
    all(items.load(moved));
    assertThat(count(items, "WHERE c.u = 0 AND c.id = 'i500'")).isEqualTo(1);
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void allowsConcurrentWrites() {
    DocumentCollection<ObjectNode> items = items();
    Flux<Object> others =
        Flux.range(0, 400)
            .flatMap(i -> i % 3 == 0 ? items.delete("i" + i) : items.upsert(item(i % 200, -1)), 8);
    Flux<Object> changing =
        index
            .collection("c", ObjectNode.class)
            .replaceDefinition(CollectionDefinition.DEFAULT.withDefaultTtl(1000))
            .cast(Object.class);
    of(items.upsert(item(0, 0)));
    all(
        Flux.merge(
            items.load(items(0, 1000, 1), SMALL.withBatchEntries(20)),
            others,
            changing,
            items.load(items(500, 1500, 2), SMALL.withBatchEntries(30))));
    assertThat(count(items, "WHERE c.a = 1 OR c.a = 2")).isGreaterThanOrEqualTo(1100);
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void replacesExpiredItems() {
    DocumentStoreOptions byClock = DocumentStoreOptions.DEFAULT.withClock(clock);
    use(open(), byClock.withBackground(false));
    DocumentCollection<ObjectNode> items = items(CollectionDefinition.DEFAULT.withDefaultTtl(100));
    all(items.load(items(0, 50, 1)));
    clock.advance(200);
    all(items.load(items(25, 75, 2)));
    assertThat(count(items, "WHERE c.a = 2")).isEqualTo(50);
    assertThat(count(items, "")).isEqualTo(50);
    DocumentStore worker = DocumentStore.over(store.kv(), byClock);
    TestStore.await(() -> of(items.sizes()).items() == 50); // expired items are swept
    orNull(worker.close());
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void keepsCommitsWithinTheLimitsOfTheStore() {
    use(open(KvLimits.DENO), DocumentStoreOptions.DEFAULT);
    DocumentCollection<ObjectNode> items = items();
    all(items.load(items(0, 500, 1)));
    all(items.load(items(0, 500, 2)));
    assertThat(count(items, "WHERE c.a = 2")).isEqualTo(500);
    assertThat(commits(items)).isBetween(2L, 100L);
    ObjectNode wide = item(620, 3);
    IntStream.range(0, 2000).forEach(i -> wide.put("p" + i, i));
    assertFails(
        items,
        Flux.concat(items(600, 620, 3), Flux.just(wide)),
        DocumentErrorCode.ITEM_TOO_LARGE,
        "item 21 of the load: ");
    assertThat(count(items, "WHERE c.a = 3")).isEqualTo(20);
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void catchesUpLazyIndexes() {
    DocumentStoreOptions lazy = DocumentStoreOptions.DEFAULT.withAllowLazy(true);
    use(open(), lazy.withBackground(false));
    DocumentCollection<ObjectNode> items =
        items(
            CollectionDefinition.DEFAULT.withIndexingPolicy(
                POLICY.withIndexingMode(IndexingMode.LAZY)));
    all(items.load(items(0, 300, 1), SMALL));
    all(items.load(items(200, 400, 2), SMALL));
    SqlQuery query = SqlQuery.of("SELECT * FROM c WHERE c.a = 2");
    assertThat(of(items.explain(query)).plan().get("indexLag").intValue()).isEqualTo(400);
    DocumentStore worker = DocumentStore.over(store.kv(), lazy);
    TestStore.await(() -> of(items.explain(query)).plan().get("indexLag").intValue() == 0);
    orNull(worker.close());
    assertThat(all(items.query(query, ObjectNode.class))).hasSize(200);
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void stopsReadingWithoutDemandForProgress() {
    DocumentCollection<ObjectNode> items = items();
    AtomicLong asked = new AtomicLong();
    AtomicLong cancelled = new AtomicLong();
    Flux<ObjectNode> endless =
        Flux.range(0, Integer.MAX_VALUE)
            .map(i -> item(i, 1))
            .doOnNext(item -> asked.incrementAndGet())
            .doOnCancel(cancelled::incrementAndGet);
    List<LoadProgress> told = new ArrayList<>();
    Sinks.One<Boolean> two = Sinks.one();
    BaseSubscriber<LoadProgress> slow =
        new BaseSubscriber<>() {
          @Override
          protected void hookOnSubscribe(Subscription subscription) {
            request(2);
          }

          @Override
          protected void hookOnNext(LoadProgress progress) {
            told.add(progress);
            if (told.size() == 2) {
              two.tryEmitValue(true);
            }
          }
        };
    items.load(endless, SMALL).subscribe(slow);
    of(two.asMono());
    // batches: two reported, one waiting for demand, four in flight, one being filled
    long most = 8 * 100 + 2 * 256;
    TestStore.await(() -> count(items, "") >= 300);
    assertThat(told).hasSize(2);
    assertThat(asked.get()).isLessThanOrEqualTo(most);
    slow.cancel();
    TestStore.await(() -> cancelled.get() == 1);
    assertThat(asked.get()).isLessThanOrEqualTo(most);
  }
}
