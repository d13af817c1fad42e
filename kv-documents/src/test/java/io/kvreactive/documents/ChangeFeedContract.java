package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.all;
import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Kv;
import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvKey;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ItemChanges.Change;
import io.kvreactive.documents.testkit.HookedEngine;
import io.kvreactive.documents.testkit.TestStore;
import io.kvreactive.testing.ShortTries;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** The contract of the pages and streams of a collection's change feed. */
abstract class ChangeFeedContract {
  private static final ChangeFeedOptions ALL = ChangeFeedOptions.ALL.withSince(Versionstamp.ZERO);
  private static final ChangeFeedOptions LATEST =
      ChangeFeedOptions.LATEST.withSince(Versionstamp.ZERO);
  private static final CollectionDefinition DEFINITION =
      CollectionDefinition.DEFAULT.withPartitionKey("/pk", "/sub");

  /** Less than the time between sweeps that no expiry has armed. */
  private static final Duration EXPIRY_TIMEOUT = Duration.ofSeconds(30);

  private final TestStore store = open();
  private final DocumentStore index = documents(store);
  private final DocumentCollection<JsonNode> items =
      index.collection("c", JsonNode.class, DEFINITION);

  /** Opens a store that keeps previous values. */
  abstract TestStore open();

  /** Returns the collections of the store, as the program under test uses them. */
  DocumentStore documents(TestStore of) {
    return DocumentStore.over(of.kv());
  }

  @AfterEach
  void end() {
    orNull(index.close());
    store.close();
  }

  private static ObjectNode item(String id, String pk, int v) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("id", id)
        .put("pk", pk)
        .put("sub", 1)
        .put("v", v);
  }

  private Item<JsonNode> put(String id, String pk, int v) {
    return of(items.upsert(item(id, pk, v)));
  }

  private Versionstamp delete(String id, String pk) {
    return of(items.delete(id, PartitionKey.of(pk, 1), WriteOptions.DEFAULT));
  }

  private static String text(Change<JsonNode> change) {
    String previous =
        change.previous() == null ? "" : " was " + change.previous().value().path("v").asText();
    return change instanceof Change.Upsert<JsonNode> upsert
        ? upsert.id() + "=" + upsert.item().value().path("v").asText() + previous
        : change.id()
            + (((Change.Delete<JsonNode>) change).isExpired() ? " expired" : " gone")
            + previous;
  }

  private static List<String> texts(List<ItemChanges<JsonNode>> commits) {
    return commits.stream()
        .flatMap(commit -> commit.changes().stream())
        .map(ChangeFeedContract::text)
        .toList();
  }

  private List<String> page(ChangeFeedOptions options) {
    return texts(of(items.changePage(options, 1000)).commits());
  }

  @Test
  void emitsAnItemOnceIfItIsWrittenWhileTheFeedOfLatestVersionsBegins() {
    put("a", "x", 1);
    orNull(store.kv().set(KvKey.of("another"), 1).then()); // the newest version is of no item
    HookedEngine engine = new HookedEngine(store.kv().engine());
    Kv kv = of(Kv.open(store.vertx(), engine));
    DocumentStore other = DocumentStore.over(kv);
    DocumentCollection<JsonNode> same = other.collection("c", JsonNode.class);
    engine.beforeChanges.set(Mono.defer(() -> items.upsert(item("b", "x", 2))).then());
    List<String> found =
        all(
            same.changeFeed(LATEST)
                .flatMapIterable(ItemChanges::changes)
                .doOnNext(
                    change -> {
                      if (change.id().equals("b")) {
                        items.upsert(item("end", "x", 3)).subscribe();
                      }
                    })
                .takeUntil(change -> change.id().equals("end"))
                .map(ChangeFeedContract::text));
    orNull(other.close());

    assertThat(found).containsExactly("a=1", "b=2", "end=3");
  }

  @Test
  void emitsAllVersionsWithPreviousOnesAndDeletes() {
    put("a", "x", 1);
    put("a", "x", 2);
    put("b", "x", 1);
    delete("a", "x");

    assertThat(page(ALL)).containsExactly("a=1", "a=2 was 1", "b=1", "a gone was 2");
  }

  @Test
  void emitsLatestVersionsWithoutDeletes() {
    put("a", "x", 1);
    put("b", "x", 1);
    put("a", "x", 2);
    put("gone", "x", 1);
    delete("gone", "x");

    assertThat(page(LATEST)).containsExactly("b=1", "a=2");
    ChangePage<JsonNode> first = of(items.changePage(LATEST, 1));
    assertThat(texts(first.commits())).containsExactly("b=1");
    assertThat(first.hasMore()).isTrue();
    assertThat(page(LATEST.withSince(first.continuation()))).containsExactly("a=2");
  }

  @Test
  void hasNoPreviousVersionsInAStoreThatDoesNotKeepThem() {
    try (TestStore plain = TestStore.at(null)) {
      DocumentStore other = documents(plain);
      DocumentCollection<JsonNode> documents = other.collection("c", JsonNode.class, DEFINITION);
      of(documents.upsert(item("a", "x", 1)));
      of(documents.upsert(item("a", "x", 2)));
      of(documents.delete("a", PartitionKey.of("x", 1), WriteOptions.DEFAULT));

      assertThat(texts(of(documents.changePage(ALL, 10)).commits()))
          .containsExactly("a=1", "a=2", "a gone");
      orNull(other.close());
    }
  }

  @Test
  void emitsChangesOfOnePartitionAndOfAPrefix() {
    put("a", "x", 1);
    put("b", "y", 2);
    delete("b", "y");
    put("c", "x", 3);

    assertThat(page(ALL.withPartitionKey(PartitionKey.of("x")))).containsExactly("a=1", "c=3");
    assertThat(page(ALL.withPartitionKey(PartitionKey.of("y", 1))))
        .containsExactly("b=2", "b gone was 2");
    assertThat(page(ALL.withPartitionKey(PartitionKey.of("y", 2)))).isEmpty();
    assertThatThrownBy(() -> page(ALL.withPartitionKey(PartitionKey.of("y", 2, 3))))
        .isInstanceOfSatisfying(
            DocumentException.class,
            e -> {
              assertThat(e.code()).isEqualTo(DocumentErrorCode.INVALID_ARGUMENT);
              assertThat(e).hasMessageContaining("partition key of 3 values (expected: 1 to 2)");
            });
  }

  @Test
  void keepsTheChangesOfACommitOnOnePage() {
    List<Integer> sizes = List.of(1, 3, 2, 100, 1);
    for (int size : sizes) {
      TransactionalBatch batch = TransactionalBatch.of(PartitionKey.of("x", 1));
      for (int i = 0; i < size; i++) {
        batch = batch.upsert(item("i" + size + "-" + i, "x", i));
      }
      of(items.execute(batch));
    }
    put("other", "y", 1);
    for (ChangeFeedOptions options :
        List.of(ALL, LATEST, ALL.withPartitionKey(PartitionKey.of("x")))) {
      List<ItemChanges<JsonNode>> whole = of(items.changePage(options, 1000)).commits();
      for (int limit = 1; limit <= 8; limit++) {
        List<ItemChanges<JsonNode>> read = new ArrayList<>();
        ChangePage<JsonNode> page = of(items.changePage(options, limit));
        read.addAll(page.commits());
        while (page.hasMore()) {
          assertThat(count(page.commits().subList(0, page.commits().size() - 1))).isLessThan(limit);
          page = of(items.changePage(options.withSince(page.continuation()), limit));
          read.addAll(page.commits());
        }
        assertThat(read).isEqualTo(whole);
      }
    }
  }

  private static int count(List<ItemChanges<JsonNode>> commits) {
    return commits.stream().mapToInt(commit -> commit.changes().size()).sum();
  }

  /** Pages of earlier versions ended within a commit. */
  @Test
  void continuesWithinACommit() {
    TransactionalBatch batch = TransactionalBatch.of(PartitionKey.of("x", 1));
    put("first", "x", 0);
    for (int i = 0; i < 10; i++) {
      batch = batch.upsert(item("i" + i, "x", i));
    }
    Versionstamp commit = of(items.execute(batch)).versionstamp();
    Versionstamp within = new Versionstamp(commit.version(), 7);
    List<String> rest = List.of("i7=7", "i8=8", "i9=9");
    assertThat(texts(of(items.changePage(ALL.withSince(within), 1)).commits())).isEqualTo(rest);
    assertThat(
            texts(
                all(
                    items
                        .changeFeed(ALL.withSince(within))
                        .filter(changes -> !changes.isBookmark())
                        .take(1))))
        .isEqualTo(rest);
  }

  @Test
  void tellsExpiriesFromDeletesSoonAfterTheExpiry() {
    DocumentCollection<JsonNode> expiring =
        index.collection("e", JsonNode.class, DEFINITION.withDefaultTtl(-1));
    of(expiring.upsert(item("lasting", "x", 1)));
    ObjectNode shortLived = item("short", "x", 2);
    of(expiring.upsert(shortLived.put("ttl", 1))); // after the first sweep, so no sweep is due soon
    of(expiring.delete("lasting", PartitionKey.of("x", 1), WriteOptions.DEFAULT));
    StepVerifier.create(
            expiring
                .changeFeed(ALL)
                .flatMapIterable(ItemChanges::changes)
                .filter(change -> change instanceof Change.Delete)
                .map(change -> text(change)))
        .expectNext("lasting gone was 1")
        .expectNext("short expired was 2")
        .thenCancel()
        .verify(EXPIRY_TIMEOUT);
  }

  @Test
  void boundsTheSearchForTheChangesOfAPartition() {
    DocumentCollection<JsonNode> large =
        index.collection(
            "large",
            JsonNode.class,
            DEFINITION.withIndexingPolicy(
                IndexingPolicy.DEFAULT.withIndexingMode(IndexingMode.NONE)));
    String text = "x".repeat(1 << 20);
    for (int i = 0; i < 35; i++) {
      of(large.upsert(item("i" + i, "x", i).put("text", text)));
    }
    of(large.upsert(item("a", "y", 1)));
    for (ChangeFeedOptions all : List.of(ALL, LATEST)) {
      ChangeFeedOptions options = all.withPartitionKey(PartitionKey.of("y"));
      ChangePage<JsonNode> first = of(large.changePage(options, 10));
      assertThat(first.commits()).isEmpty();
      assertThat(first.hasMore()).isTrue();
      assertThat(allPages(large, options.withSince(first.continuation()), 10))
          .containsExactly("a=1");
      List<ItemChanges<JsonNode>> followed =
          all(large.changeFeed(options).takeUntil(commit -> !commit.isBookmark()));
      assertThat(followed).hasSizeGreaterThan(1); // a bookmark, from which the feed can resume
      assertThat(followed.get(0).versionstamp()).isGreaterThanOrEqualTo(first.continuation());
      assertThat(texts(followed)).containsExactly("a=1");
    }
  }

  @Test
  void followsOnePartitionAndSkipsOthers() {
    put("a", "x", 1);
    List<String> seen = new CopyOnWriteArrayList<>();
    Disposable feed =
        items
            .changeFeed(ALL.withPartitionKey(PartitionKey.of("x")))
            .filter(commit -> !commit.isBookmark())
            .subscribe(commit -> seen.addAll(texts(List.of(commit))));
    TestStore.await(() -> seen.size() == 1);
    for (int i = 0; i < 50; i++) {
      put("o" + i, "y", i);
      put("a", "x", i + 2);
    }
    delete("a", "x");

    TestStore.await(() -> seen.size() == 52);
    assertThat(seen.get(50)).isEqualTo("a=51 was 50");
    assertThat(seen.get(51)).isEqualTo("a gone was 51");
    feed.dispose();
  }

  @Test
  void emitsWithTheDemandOfTheSubscriber() {
    for (int i = 0; i < 100; i++) {
      put("i" + i, "x", i);
    }
    for (ChangeFeedOptions options :
        List.of(ALL, LATEST, ALL.withPartitionKey(PartitionKey.of("x")))) {
      StepVerifier.create(items.changeFeed(options).filter(commit -> !commit.isBookmark()), 0)
          .thenRequest(2)
          .assertNext(commit -> assertThat(texts(List.of(commit))).containsExactly("i0=0"))
          .assertNext(commit -> assertThat(texts(List.of(commit))).containsExactly("i1=1"))
          .thenRequest(98)
          .expectNextCount(98)
          .thenCancel()
          .verify();
    }
  }

  @Test
  void beginsAfterTheCallWithoutAPosition() {
    put("a", "x", 1);
    ChangePage<JsonNode> now = of(items.changePage(ChangeFeedOptions.ALL, 10));
    assertThat(now.commits()).isEmpty();
    put("b", "x", 2);
    assertThat(page(ALL.withSince(now.continuation()))).containsExactly("b=2");
  }

  @Test
  void rejectsPositionsThatAreNotReachedAndLimits() {
    put("a", "x", 1);
    Versionstamp later = Versionstamp.of(Long.MAX_VALUE);
    assertThatThrownBy(() -> page(ALL.withSince(later)))
        .satisfies(e -> assertThat(KvError.is(e, KvErrorCode.INVALID_ARGUMENT)).isTrue());
    assertThatThrownBy(() -> of(items.changePage(ALL, 0)))
        .satisfies(e -> assertThat(KvError.is(e, KvErrorCode.INVALID_ARGUMENT)).isTrue())
        .hasMessageContaining("limit: 0 (expected: 1 to 10000)");
  }

  @Test
  void hasNoChangesOfADroppedCollectionOfTheSameName() {
    put("a", "x", 1);
    of(index.drop("c"));
    assertThatThrownBy(() -> of(index.collection("c", JsonNode.class).changePage(ALL, 10)))
        .satisfies(e -> assertThat(KvError.is(e, DocumentErrorCode.COLLECTION_NOT_FOUND)).isTrue());
    put("b", "x", 2);
    assertThat(page(ALL)).containsExactly("b=2");
  }

  @Test
  void endsWhenTheCollectionIsDropped() {
    put("a", "x", 1);
    for (ChangeFeedOptions options : List.of(ALL.withPartitionKey(PartitionKey.of("x")), ALL)) {
      List<Throwable> failures = new CopyOnWriteArrayList<>();
      List<ItemChanges<JsonNode>> seen = new CopyOnWriteArrayList<>();
      of(index.create("d", DEFINITION));
      DocumentCollection<JsonNode> dropped = index.collection("d", JsonNode.class);
      of(dropped.upsert(item("a", "x", 1)));
      dropped.changeFeed(options).subscribe(seen::add, failures::add);
      TestStore.await(() -> !seen.isEmpty());
      of(index.drop("d"));
      TestStore.await(() -> !failures.isEmpty());
      assertThat(failures)
          .allMatch(failure -> KvError.is(failure, DocumentErrorCode.COLLECTION_NOT_FOUND));
    }
  }

  /** Pages of any size have the changes of a model, in order. */
  @Property(tries = 40)
  @ShortTries(12)
  void pagesHaveTheChangesOfAModel(
      @ForAll @Size(max = 40) List<@IntRange(max = 29) Integer> steps,
      @ForAll @IntRange(min = 1, max = 5) int limit) {
    try (TestStore small = TestStore.withOldValues()) {
      DocumentStore other =
          DocumentStore.over(small.kv(), DocumentStoreOptions.DEFAULT.withBackground(false));
      DocumentCollection<JsonNode> documents = other.collection("c", JsonNode.class, DEFINITION);
      Map<String, Integer> model = new LinkedHashMap<>();
      Map<String, Integer> latest = new LinkedHashMap<>();
      List<String> expected = new ArrayList<>();
      orNull(documents.read("none", PartitionKey.of("x", 1)));
      for (int i = 0; i < steps.size(); i++) {
        String id = "i" + steps.get(i) % 5;
        String pk = "p" + steps.get(i) % 2;
        String key = id + pk;
        Integer old = model.get(key);
        String was = old == null ? "" : " was " + old;
        latest.remove(key);
        if (steps.get(i) >= 20) {
          if (orNull(documents.delete(id, PartitionKey.of(pk, 1), WriteOptions.DEFAULT)) != null) {
            expected.add(id + " gone" + was);
          }
          model.remove(key);
        } else {
          of(documents.upsert(item(id, pk, i)));
          expected.add(id + "=" + i + was);
          model.put(key, i);
          latest.put(key, i);
        }
      }
      assertThat(allPages(documents, ALL, limit)).isEqualTo(expected);
      assertThat(allPages(documents, LATEST, limit))
          .isEqualTo(
              latest.entrySet().stream()
                  .map(each -> each.getKey().substring(0, 2) + "=" + each.getValue())
                  .toList());
      orNull(other.close());
    }
  }

  private static List<String> allPages(
      DocumentCollection<JsonNode> documents, ChangeFeedOptions options, int limit) {
    List<String> read = new ArrayList<>();
    ChangePage<JsonNode> page = of(documents.changePage(options, limit));
    read.addAll(texts(page.commits()));
    while (page.hasMore()) {
      page = of(documents.changePage(options.withSince(page.continuation()), limit));
      read.addAll(texts(page.commits()));
    }
    return read;
  }
}
