package io.kvreactive.documents;

import static io.kvreactive.documents.CompositePath.ascending;
import static io.kvreactive.documents.testkit.TestStore.all;
import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.internal.StoredKeys;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.testkit.ManualClock;
import io.kvreactive.documents.testkit.TestStore;
import io.kvreactive.testing.Tries;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** Tests of collections whose indexes lag behind their items. */
abstract class LazyContract {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final IndexingPolicy LAZY =
      IndexingPolicy.DEFAULT
          .withComposite(ascending("/a"), ascending("/b"))
          .withIndexingMode(IndexingMode.LAZY);

  private final ManualClock clock = new ManualClock();
  private final DocumentStoreOptions options =
      DocumentStoreOptions.DEFAULT.withClock(clock).withAllowLazy(true);
  private TestStore store;
  private DocumentStore quiet; // runs no background work
  private DocumentCollection<JsonNode> items;

  abstract TestStore open();

  @BeforeEach
  void start() {
    store = open();
    quiet = DocumentStore.over(store.kv(), options.withBackground(false));
    of(quiet.create("c", with(LAZY).withUniqueKeys(UniqueKey.of("/u"))));
    items = quiet.collection("c", JsonNode.class);
  }

  @AfterEach
  void end() {
    store.close();
  }

  private static CollectionDefinition with(IndexingPolicy policy) {
    return CollectionDefinition.DEFAULT.withIndexingPolicy(policy);
  }

  private static CollectionDefinition unique(IndexingPolicy policy) {
    return with(policy).withUniqueKeys(UniqueKey.of("/u"));
  }

  private static ObjectNode item(int i, int a) {
    ObjectNode node = JsonNodeFactory.instance.objectNode().put("id", "i" + i);
    node.put("a", a).put("b", "b" + i % 7).put("u", i).putArray("tags").add(i % 3).add("t");
    return node;
  }

  private void fill(int count) {
    Flux.range(0, count).flatMap(i -> items.create(item(i, i % 10)), 64).blockLast(PATIENCE);
  }

  private void churn(int count, int ids) {
    Flux.range(0, count)
        .flatMap(
            n -> {
              int i = ThreadLocalRandom.current().nextInt(ids);
              return n % 4 == 0
                  ? items.delete("i" + i).then()
                  : items.upsert(item(i, n % 10)).then();
            },
            16)
        .blockLast(PATIENCE);
  }

  private CollectionMetadata view() {
    return StoredKeys.view(store.kv(), "c");
  }

  private ObjectNode plan(String sql) {
    return of(items.explain(SqlQuery.of(sql))).plan();
  }

  private long lag() {
    return plan("SELECT * FROM c WHERE c.a = 1").get("indexLag").longValue();
  }

  private List<String> ids(String where) {
    return rows("SELECT VALUE c.id FROM c " + where).stream().map(JsonNode::textValue).toList();
  }

  private List<JsonNode> rows(String sql) {
    return all(items.query(SqlQuery.of(sql), JsonNode.class));
  }

  /** Indexes all pending items in the background. */
  private void catchUp() {
    DocumentStore worker = DocumentStore.over(store.kv(), options);
    TestStore.await(() -> lag() == 0);
    orNull(worker.close());
  }

  private void change(CollectionDefinition definition) {
    of(items.replaceDefinition(definition).next());
  }

  private void finish() {
    DocumentStore worker = DocumentStore.over(store.kv(), options);
    assertThat(of(items.transformation().last()).isComplete()).isTrue();
    orNull(worker.close());
  }

  /** Asserts that queries by indexes return the rows of a full scan. */
  private void assertExact() {
    for (String sql :
        List.of(
            "SELECT * FROM c WHERE c.a = 3",
            "SELECT * FROM c WHERE c.a > 4 AND c.b = 'b1'",
            "SELECT * FROM c WHERE ARRAY_CONTAINS(c.tags, 2)",
            "SELECT VALUE COUNT(1) FROM c WHERE c.a < 5",
            "SELECT VALUE SUM(c.a) FROM c WHERE c.a = 5",
            "SELECT VALUE MAX(c.a) FROM c")) {
      List<JsonNode> scanned =
          all(
              items.query(
                  SqlQuery.of(sql).withOptions(QueryOptions.DEFAULT.withForceScan(true)),
                  JsonNode.class));
      assertThat(
              rows(sql).stream().map(JsonNode::toString)) // numbers may differ in their Java class
          .as(sql)
          .containsExactlyInAnyOrderElementsOf(scanned.stream().map(JsonNode::toString).toList());
    }
  }

  @Test
  void requiresAnOption() {
    DocumentStore plain =
        DocumentStore.over(store.kv(), DocumentStoreOptions.DEFAULT.withBackground(false));
    CollectionContract.assertCode(DocumentErrorCode.INVALID_POLICY, plain.create("d", with(LAZY)));
    CollectionContract.assertCode(
        DocumentErrorCode.INVALID_POLICY,
        plain.collection("d", JsonNode.class, with(LAZY)).read("x"));
    assertThat(orNull(plain.describe("d"))).isNull();
    of(plain.create("d", CollectionDefinition.DEFAULT));
    CollectionContract.assertCode(
        DocumentErrorCode.INVALID_POLICY,
        plain.collection("d", JsonNode.class).replaceDefinition(with(LAZY)));
    assertThat(of(plain.describe("d")).policyVersion()).isEqualTo(1);

    DocumentCollection<JsonNode> there = plain.collection("c", JsonNode.class);
    of(there.create(item(1, 1)));
    IndexingPolicy other = LAZY.withComposites(List.of());
    of(there.replaceDefinition(unique(other)).next());
    assertThat(of(plain.describe("c")).definition().indexingPolicy()).isEqualTo(other);
  }

  @Test
  void keepsTheModeInTheNormalForm() {
    String json = Definitions.toJson(LAZY);
    assertThat(json).contains("\"indexingMode\":\"lazy\"");
    assertThat(Definitions.parsePolicy(json.replace("lazy", "Lazy"))).isEqualTo(LAZY);
  }

  @Test
  void storesItemsImmediatelyAndEntriesLater() {
    fill(300);

    assertThat(of(items.read("i7")).value().get("a").intValue()).isEqualTo(7);
    CollectionContract.assertCode(
        DocumentErrorCode.ITEM_EXISTS, items.create(item(900, 1).put("u", 7)));
    assertThat(StoredKeys.keys(store.kv(), view(), "E1"))
        .hasSize(300)
        .allMatch(key -> key.stringAt(3).equals("P"));
    assertThat(lag()).isEqualTo(300);
    assertThat(ids("WHERE c.a = 1")).isEmpty();
    assertThat(rows("SELECT VALUE COUNT(1) FROM c").get(0).intValue()).isEqualTo(300);
    assertThat(of(items.sizes()).indexes())
        .filteredOn(size -> size.index().equals("pending"))
        .extracting(CollectionSizes.IndexSize::entries)
        .containsExactly(300L);

    catchUp();
    assertThat(ids("WHERE c.a = 1")).hasSize(30);
    assertExact();
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void returnsOnlyExistingMatchingItems() {
    fill(100);
    catchUp();
    Flux.range(0, 50).concatMap(i -> items.upsert(item(i, 100 + i % 10))).blockLast(PATIENCE);
    Flux.range(50, 25).concatMap(i -> items.delete("i" + i)).blockLast(PATIENCE);

    assertThat(lag()).isEqualTo(75);
    assertThat(ids("WHERE c.a = 3")).containsExactlyInAnyOrder("i83", "i93");
    assertThat(ids("WHERE c.a >= 100")).isEmpty();
    assertThat(ids("WHERE c.a != 3 AND c.b = 'b1'"))
        .allMatch(id -> orNull(items.read(id)) != null)
        .doesNotContain("i50", "i57", "i64", "i71");
    assertThat(ids("ORDER BY c.a")).hasSize(75).doesNotHaveDuplicates();
    assertThat(ids("ORDER BY c.a DESC, c.b DESC")).hasSize(75).doesNotHaveDuplicates();
    assertThat(rows("SELECT VALUE COUNT(1) FROM c WHERE c.a = 3").get(0).intValue()).isEqualTo(2);
    assertThat(rows("SELECT VALUE MAX(c.a) FROM c").get(0).intValue()).isEqualTo(109);
    assertThat(plan("SELECT VALUE SUM(c.a) FROM c").get("covered").booleanValue()).isFalse();

    catchUp();
    assertExact();
    assertThat(ids("WHERE c.a >= 100")).hasSize(50);
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void ignoresIntermediateStatesOfAnItem() {
    of(items.create(item(1, 1)));
    catchUp();
    for (int a = 2; a < 20; a++) {
      of(items.upsert(item(1, a)));
    }
    of(items.create(item(2, 1)));
    of(items.delete("i2"));
    of(items.create(item(2, 5)));
    WriteOptions out = WriteOptions.DEFAULT.withDirective(IndexingDirective.EXCLUDE);
    of(items.create(item(3, 5), out));
    of(items.upsert(item(3, 6), out));

    assertThat(lag()).isEqualTo(2);
    assertThat(ids("WHERE c.a = 1")).isEmpty();
    catchUp();
    assertThat(ids("WHERE c.a = 19")).containsExactly("i1");
    assertThat(ids("WHERE c.a = 6")).isEmpty();
    StoredKeys.check(store.kv(), "c");
    of(items.upsert(item(1, 1), out));
    assertThat(ids("WHERE c.a = 19")).isEmpty();
    catchUp();
    assertThat(ids("WHERE c.a = 1")).isEmpty();
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void indexesItemsWrittenDuringCatchUp() {
    DocumentStore one = DocumentStore.over(store.kv(), options);
    DocumentStore two = DocumentStore.over(store.kv(), options);
    fill(300);
    churn(Tries.of(500, 1500), 400);
    TestStore.await(() -> lag() == 0);
    assertExact();
    of(items.upsert(item(1000, 77)));
    TestStore.await(() -> ids("WHERE c.a = 77").equals(List.of("i1000")));
    orNull(one.close());
    orNull(two.close());
    assertThat(lag()).isEqualTo(0);
    StoredKeys.check(store.kv(), "c");
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 600})
  void becomesConsistentWhenNothingIsPending(int count) {
    fill(count);
    churn(count / 2, count + 50);
    IndexingPolicy consistent = LAZY.withIndexingMode(IndexingMode.CONSISTENT);
    change(unique(consistent));
    assertThat(view().available().lags()).isTrue();
    assertThat(plan("SELECT * FROM c WHERE c.a = 1").get("notReady").toString())
        .contains("pending");
    churn(count / 2, count + 50);
    assertThat(plan("SELECT VALUE SUM(c.a) FROM c").get("covered").booleanValue()).isFalse();
    finish();

    assertThat(view().available().lags()).isFalse();
    assertThat(plan("SELECT VALUE SUM(c.a) FROM c").get("covered").booleanValue()).isTrue();
    assertThat(plan("SELECT * FROM c WHERE c.a = 1").has("indexLag")).isFalse();
    assertExact();
    StoredKeys.check(store.kv(), "c");
    churn(50, count);
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void becomesLazyImmediately() {
    IndexingPolicy consistent = LAZY.withIndexingMode(IndexingMode.CONSISTENT);
    change(unique(consistent));
    fill(400);
    StoredKeys.check(store.kv(), "c");
    change(unique(LAZY));

    assertThat(of(items.info()).transformation().isComplete()).isTrue();
    assertThat(lag()).isEqualTo(0);
    churn(100, 400);
    assertThat(lag()).isPositive();
    catchUp();
    assertExact();
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void changesThePolicyWhileIndexesLag() {
    fill(500);
    catchUp();
    churn(300, 600);
    change(unique(IndexingPolicy.includeRoot("/b/?").withIndexingMode(IndexingMode.LAZY)));
    churn(200, 600);
    change(
        unique(
            IndexingPolicy.excludeRoot("/b/?", "/tags/[]/?")
                .withComposite(ascending("/b"), ascending("/a"))
                .withIndexingMode(IndexingMode.LAZY)));
    DocumentStore worker = DocumentStore.over(store.kv(), options);
    churn(300, 600);
    assertThat(of(items.transformation().last()).isComplete()).isTrue();
    churn(300, 600);
    TestStore.await(() -> lag() == 0);
    orNull(worker.close());
    assertExact();
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void changesASmallCollectionWithoutLagImmediately() {
    fill(100);
    catchUp();
    IndexingPolicy other = LAZY.withComposite(ascending("/b"), ascending("/a"));
    assertThat(all(items.replaceDefinition(unique(other)))).hasSize(1);
    StoredKeys.check(store.kv(), "c");
    assertThat(
            all(items.replaceDefinition(unique(other.withIndexingMode(IndexingMode.CONSISTENT)))))
        .hasSize(1);
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void discardsPendingEntriesInModeNone() {
    fill(400);
    change(unique(IndexingPolicy.none()));
    assertThat(view().available().lags()).isFalse();
    assertExact();
    churn(50, 400);
    change(unique(LAZY));
    churn(50, 400);
    finish();
    catchUp();
    assertExact();
    StoredKeys.check(store.kv(), "c");
    churn(100, 400);
    change(unique(IndexingPolicy.none()));
    finish();
    StoredKeys.check(store.kv(), "c");
  }

  @ParameterizedTest
  @ValueSource(ints = {50, 400})
  void rebuildsIndexesOnANewTimeToLive(int count) {
    fill(count);
    catchUp();
    churn(count / 2, count);
    change(unique(LAZY).withDefaultTtl(1000));
    assertThat(view().record().entriesNumber()).isEqualTo(2);
    assertExact();
    churn(count / 2, count);
    finish();
    catchUp();
    assertExact();
    StoredKeys.check(store.kv(), "c");
    change(unique(LAZY));
    assertThat(view().record().entriesNumber()).isEqualTo(3);
    finish();
    assertExact();
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void removesExpiredItemsWhileIndexesLag() {
    change(unique(LAZY).withDefaultTtl(10));
    finish();
    fill(100);
    catchUp();
    churn(100, 150);
    clock.advance(10);
    of(items.create(item(0, 3)));
    of(items.create(item(900, 3).put("u", 1)));
    assertThat(ids("WHERE c.a = 3")).isEmpty();
    assertThat(rows("SELECT VALUE COUNT(1) FROM c").get(0).intValue()).isEqualTo(2);

    DocumentStore worker = DocumentStore.over(store.kv(), options);
    TestStore.await(() -> StoredKeys.keys(store.kv(), view(), "D").size() == 2);
    TestStore.await(() -> lag() == 0);
    orNull(worker.close());
    assertThat(ids("WHERE c.a = 3")).containsExactlyInAnyOrder("i0", "i900");
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void leavesNoKeysOfADroppedCollection() {
    DocumentStore worker = DocumentStore.over(store.kv(), options);
    fill(300);
    String id = view().record().id();
    of(quiet.drop("c"));
    TestStore.await(() -> StoredKeys.countAll(store.kv(), id) == 0);
    of(quiet.create("c", with(LAZY)));
    of(items.create(item(1, 1)));
    TestStore.await(() -> ids("WHERE c.a = 1").equals(List.of("i1")));
    orNull(worker.close());
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void failsAChangeOnAnItemThatCannotBeIndexed() {
    IndexingPolicy without =
        IndexingPolicy.includeRoot("/big/*").withIndexingMode(IndexingMode.LAZY);
    change(unique(without));
    fill(20);
    ObjectNode large = item(900, 1);
    for (int i = 0; i < 45_000; i++) {
      large.withArray("big").add(i);
    }
    of(items.create(large));
    change(unique(LAZY));
    DocumentStore worker = DocumentStore.over(store.kv(), options);
    TransformationProgress failed = of(items.transformation().last());

    assertThat(failed.isComplete()).isFalse();
    assertThat(failed.jobs()).isNotEmpty().allMatch(job -> job.error() != null);
    assertThat(ids("WHERE c.a = 1")).as("all others").containsExactlyInAnyOrder("i1", "i11");
    churn(50, 30);
    of(items.replaceDefinition(unique(without)).last());
    TestStore.await(() -> lag() == 0);
    orNull(worker.close());
    assertThat(ids("WHERE c.id = 'i900'")).containsExactly("i900");
    assertExact();
    StoredKeys.check(store.kv(), "c");
    CollectionContract.assertCode(
        DocumentErrorCode.NOT_CHANGEABLE,
        items.replaceDefinition(with(without).withUniqueKeys(UniqueKey.of("/other"))));
  }

  @Test
  void rejectsAnItemWithTooManyEntriesImmediately() {
    ObjectNode large = item(900, 1);
    for (int i = 0; i < 45_000; i++) {
      large.withArray("big").add(i);
    }
    CollectionContract.assertCode(DocumentErrorCode.LIMIT_EXCEEDED, items.create(large));
    assertThat(orNull(items.read("i900"))).isNull();
    assertThat(lag()).isEqualTo(0);
  }

  @Test
  void emitsItemsInFeedsAndNotTheirIndexing() {
    of(items.create(item(1, 1)));
    catchUp();
    of(items.delete("i1"));
    catchUp();
    of(items.create(item(2, 1)));

    List<ItemChanges<JsonNode>> seen =
        all(items.changes(Versionstamp.ZERO).filter(commit -> !commit.isBookmark()).take(3));
    assertThat(seen.get(0).changes().get(0)).isInstanceOf(ItemChanges.Change.Upsert.class);
    assertThat(seen.get(1).changes())
        .containsExactly(new ItemChanges.Change.Delete<>("i1", PartitionKey.NONE));
    assertThat(seen.get(2).changes().toString()).contains("i2");
  }
}
