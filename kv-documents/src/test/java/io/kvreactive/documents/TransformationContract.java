package io.kvreactive.documents;

import static io.kvreactive.documents.CompositePath.ascending;
import static io.kvreactive.documents.testkit.TestStore.all;
import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.internal.StoredKeys;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.IndexAvailability;
import io.kvreactive.documents.testkit.TestStore;
import io.kvreactive.testing.Tries;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Tests of definition changes during reads and writes. */
abstract class TransformationContract {
  private static final int ITEMS = Tries.of(400, 1000); // too many for one commit
  private static final int IN_FLIGHT = 16;
  private static final IndexPath A = IndexPath.of("a");

  private TestStore store;
  private DocumentStore quiet; // runs no background work
  private DocumentCollection<JsonNode> items;

  abstract TestStore open();

  @BeforeEach
  void start() {
    store = open();
    quiet = DocumentStore.over(store.kv(), DocumentStoreOptions.DEFAULT.withBackground(false));
    of(quiet.create("c", CollectionDefinition.DEFAULT));
    items = quiet.collection("c", JsonNode.class);
  }

  @AfterEach
  void end() {
    store.close();
  }

  private static ObjectNode item(int i) {
    ObjectNode node = JsonNodeFactory.instance.objectNode().put("id", "i" + i);
    node.put("a", i % 10).put("b", "b" + i % 7).putArray("tags").add(i % 3).add("t");
    return node;
  }

  private void fill(int count) {
    Flux.range(0, count).flatMap(i -> items.create(item(i)), 64).blockLast();
  }

  private static CollectionDefinition with(IndexingPolicy policy) {
    return CollectionDefinition.DEFAULT.withIndexingPolicy(policy);
  }

  private static IndexingPolicy composite() {
    return IndexingPolicy.DEFAULT.withComposite(ascending("/a"), ascending("/b"));
  }

  private IndexAvailability available() {
    return view().available();
  }

  private CollectionMetadata view() {
    return StoredKeys.view(store.kv(), "c");
  }

  /** Starts a change without doing its background work. */
  private TransformationProgress begin(CollectionDefinition definition) {
    return of(items.replaceDefinition(definition).next());
  }

  /** Completes all changes in the background. */
  private List<TransformationProgress> finish() {
    DocumentStore worker = DocumentStore.over(store.kv());
    List<TransformationProgress> seen =
        all(worker.collection("c", JsonNode.class).transformation());
    orNull(worker.close());
    return seen;
  }

  private void churn(int count) {
    Flux.range(0, count)
        .flatMap(
            n -> {
              int i = ThreadLocalRandom.current().nextInt(ITEMS + 200);
              return n % 4 == 0
                  ? items.delete("i" + i).then()
                  : items.upsert(item(i).put("a", n)).then();
            },
            16)
        .blockLast();
  }

  @Test
  void changesASmallCollectionImmediately() {
    fill(150);
    List<TransformationProgress> progress = all(items.replaceDefinition(with(composite())));

    assertThat(progress).hasSize(1);
    assertThat(progress.get(0).percent()).isEqualTo(100);
    assertThat(available().composites()).hasSize(1);
    StoredKeys.check(store.kv(), "c");
    of(items.replaceDefinition(with(IndexingPolicy.excludeRoot("/b/?"))).last());
    StoredKeys.check(store.kv(), "c");
    of(items.replaceDefinition(with(IndexingPolicy.none())).last());
    StoredKeys.check(store.kv(), "c");
    of(items.replaceDefinition(CollectionDefinition.DEFAULT).last());
    StoredKeys.check(store.kv(), "c");
  }

  private static CollectionDefinition computing(String expression, IndexingPolicy policy) {
    return with(policy)
        .withComputedProperties(
            new ComputedProperty("cp", "SELECT VALUE " + expression + " FROM c"));
  }

  private long found(String condition) {
    return of(items
            .query(SqlQuery.of("SELECT VALUE COUNT(1) FROM c WHERE " + condition), JsonNode.class)
            .next())
        .longValue();
  }

  @Test
  void buildsAComputedPropertyAgainWhenItsQueryChanges() {
    IndexPath path = IndexPath.of("cp");
    IndexingPolicy policy =
        IndexingPolicy.DEFAULT
            .withIncluded("/cp/?")
            .withComposite(ascending("/cp"), ascending("/b"));
    fill(ITEMS);
    begin(computing("c.a * 2", policy));
    assertThat(available().rangeUsable(path)).isFalse();
    assertThat(available().composites()).isEmpty();
    assertThat(found("c.cp = 18")).isEqualTo(ITEMS / 10);
    churn(100);
    finish();
    assertThat(available().rangeUsable(path)).isTrue();
    assertThat(available().composites()).hasSize(1);
    StoredKeys.check(store.kv(), "c");

    long before = found("c.a = 3");
    begin(computing("-c.a", policy)); // equal paths, other values
    assertThat(available().rangeUsable(path)).isFalse();
    assertThat(available().composites()).isEmpty();
    assertThat(found("c.cp = -3")).isEqualTo(before);
    churn(100);
    begin(computing("CONCAT(c.b, 'x')", policy)); // while the former change goes on
    churn(100);
    finish();
    assertThat(available().rangeUsable(path)).isTrue();
    assertThat(found("c.cp = 'b3x'")).isEqualTo(found("c.b = 'b3'"));
    StoredKeys.check(store.kv(), "c");

    begin(with(policy)); // the paths are those of stored members now
    assertThat(available().rangeUsable(path)).isFalse();
    finish();
    assertThat(found("c.cp = 'b3x'")).isZero();
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void changesComputedPropertiesOfASmallCollectionImmediately() {
    fill(20);
    IndexingPolicy policy = IndexingPolicy.DEFAULT.withIncluded("/cp/?");
    for (String expression : List.of("c.a + 1", "c.b", "UPPER(c.b)")) {
      assertThat(begin(computing(expression, policy)).percent()).isEqualTo(100);
      StoredKeys.check(store.kv(), "c");
    }
    assertThat(found("c.cp = 'B3'")).isEqualTo(found("c.b = 'b3'")).isPositive();
  }

  @Test
  void readsAnAddedIndexWhenItIsComplete() {
    fill(ITEMS);
    TransformationProgress begun = begin(with(composite()));

    assertThat(begun.percent()).isLessThan(100);
    assertThat(begun.jobs())
        .extracting(TransformationProgress.Job::state)
        .containsExactly(IndexState.BUILDING);
    assertThat(available().composites()).isEmpty();
    assertThat(available().notReady()).hasSize(1);
    assertThat(available().rangeUsable(A)).isTrue();

    List<TransformationProgress> progress = finish();
    assertThat(progress).extracting(TransformationProgress::percent).isSorted();
    assertThat(progress.get(progress.size() - 1).percent()).isEqualTo(100);
    assertThat(available().composites()).hasSize(1);
    assertThat(available().notReady()).isEmpty();
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void removesAnIndexImmediately() {
    fill(ITEMS);
    begin(with(composite()));
    finish();
    begin(CollectionDefinition.DEFAULT);

    assertThat(available().composites()).isEmpty();
    assertThat(available().notReady().get(0).state()).isEqualTo(IndexState.DROPPING);
    finish();
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void stopsReadingAnExcludedPath() {
    fill(ITEMS);
    begin(with(IndexingPolicy.includeRoot("/a/?")));

    assertThat(available().rangeUsable(A)).isFalse();
    assertThat(available().rangeUsable(IndexPath.of("b"))).isTrue();
    churn(200);
    finish();
    StoredKeys.check(store.kv(), "c");
    begin(CollectionDefinition.DEFAULT);
    assertThat(available().rangeUsable(A)).as("to be built").isFalse();
    assertThat(available().rangeUsable(IndexPath.of("b"))).isTrue();
    finish();
    assertThat(available().rangeUsable(A)).isTrue();
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void removesManyIndexesTogether() {
    IndexingPolicy many =
        composite()
            .withComposite(ascending("/b"), ascending("/a"))
            .withComposite(ascending("/tags/[]"), ascending("/a"));
    of(items.replaceDefinition(with(many)).last());
    fill(ITEMS);
    begin(with(IndexingPolicy.includeRoot("/b/?")));
    assertThat(available().composites()).isEmpty();
    finish();
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void matchesAFreshBuildAfterWritesDuringABuild() {
    fill(ITEMS);
    begin(
        with(
            IndexingPolicy.includeRoot("/tags/*").withComposite(ascending("/a"), ascending("/b"))));
    churn(100);
    DocumentStore worker = DocumentStore.over(store.kv());
    churn(600);
    worker.collection("c", JsonNode.class).transformation().blockLast();
    orNull(worker.close());

    StoredKeys.check(store.kv(), "c");
  }

  /** Otherwise, a build during many creates would never complete. */
  @Test
  void skipsItemsCreatedDuringABuild() {
    fill(ITEMS);
    begin(with(composite()));
    AtomicBoolean built = new AtomicBoolean();
    var created =
        Flux.range(ITEMS, Integer.MAX_VALUE - ITEMS)
            .takeWhile(i -> !built.get())
            .flatMap(i -> items.create(item(i)), IN_FLIGHT)
            .then()
            .toFuture();
    DocumentStore worker = DocumentStore.over(store.kv());
    List<TransformationProgress> seen =
        all(worker.collection("c", JsonNode.class).transformation());
    built.set(true);
    created.join();
    orNull(worker.close());

    assertThat(seen)
        .flatExtracting(TransformationProgress::jobs)
        .allSatisfy(job -> assertThat(job.done()).isLessThanOrEqualTo(job.total() + IN_FLIGHT));
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void mergesASecondChangeWithTheFirst() {
    fill(ITEMS);
    begin(with(composite()));
    churn(50);
    begin(with(IndexingPolicy.excludeRoot("/b/?").withComposite(ascending("/a"), ascending("/b"))));
    churn(50);
    DocumentStore worker = DocumentStore.over(store.kv());
    CollectionDefinition last =
        with(
            IndexingPolicy.includeRoot("/b/?")
                .withComposite(ascending("/b"), ascending("/tags/[]")));
    var third = items.replaceDefinition(last).last().toFuture();
    churn(200);
    third.join();
    orNull(worker.close());

    assertThat(view().definition()).isEqualTo(last);
    assertThat(view().policyVersion()).isEqualTo(4);
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void dropsAllIndexesInModeNoneAndRebuildsThem() {
    fill(ITEMS);
    begin(with(composite()));
    begin(with(IndexingPolicy.none()));
    assertThat(StoredKeys.keys(store.kv(), view(), "E2")).isEmpty();
    assertThat(available().rangeUsable(A)).isFalse();
    churn(50);
    begin(CollectionDefinition.DEFAULT);
    churn(50);
    assertThat(available().rangeUsable(A)).isFalse();
    finish();

    assertThat(available().rangeUsable(A)).isTrue();
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void turnsExpiryOnAndOffUnderLoad() {
    fill(ITEMS);
    begin(CollectionDefinition.DEFAULT.withDefaultTtl(100_000));
    assertThat(view().expiryKnown()).isFalse();
    churn(50);
    finish();
    assertThat(view().expiryKnown()).isTrue();
    StoredKeys.check(store.kv(), "c");
    begin(CollectionDefinition.DEFAULT);
    churn(50);
    finish();
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void completesAChangeWithTwoWorkers() {
    fill(ITEMS);
    begin(with(composite()));
    DocumentStore one = DocumentStore.over(store.kv());
    DocumentStore two = DocumentStore.over(store.kv());
    TransformationProgress last = of(items.transformation().last());

    assertThat(last.isComplete()).isTrue();
    orNull(one.close());
    orNull(two.close());
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void dropsACollectionImmediatelyAndClearsItLater() {
    fill(300);
    String id = view().record().id();
    assertThat(of(quiet.drop("c"))).isTrue();
    assertThat(of(quiet.drop("c"))).isFalse();
    CollectionContract.assertCode(DocumentErrorCode.COLLECTION_NOT_FOUND, items.read("i1"));
    CollectionContract.assertCode(DocumentErrorCode.COLLECTION_NOT_FOUND, items.upsert(item(1)));
    of(quiet.create("c", CollectionDefinition.DEFAULT));
    assertThat(orNull(items.read("i1"))).isNull();
    of(items.create(item(1)));

    DocumentStore worker = DocumentStore.over(store.kv());
    TestStore.await(() -> StoredKeys.countAll(store.kv(), id) == 0);
    orNull(worker.close());
    assertThat(orNull(items.read("i1"))).isNotNull();
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void listsAndDescribesDefinitions() {
    of(quiet.create("another", with(composite())));
    assertThat(all(quiet.collections()))
        .extracting(CollectionInfo::name)
        .containsExactly("another", "c");
    CollectionInfo info = of(quiet.describe("another"));
    assertThat(info.definition()).isEqualTo(with(composite()));
    assertThat(info.policyVersion()).isEqualTo(1);
    assertThat(info.transformation().isComplete()).isTrue();
    assertThat(orNull(quiet.describe("none"))).isNull();
    CollectionContract.assertCode(
        DocumentErrorCode.COLLECTION_EXISTS, quiet.create("c", CollectionDefinition.DEFAULT));
    CollectionContract.assertCode(
        DocumentErrorCode.COLLECTION_EXISTS,
        quiet.collection("c", JsonNode.class, composite()).read("x"));
    CollectionContract.assertCode(
        DocumentErrorCode.INVALID_ARGUMENT, quiet.create("a/b", CollectionDefinition.DEFAULT));
    CollectionContract.assertCode(
        DocumentErrorCode.NOT_CHANGEABLE,
        items.replaceDefinition(CollectionDefinition.DEFAULT.withPartitionKey("/a")));
  }
}
