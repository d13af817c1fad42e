package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ItemChanges.Change;
import io.kvreactive.documents.testkit.ManualClock;
import io.kvreactive.documents.testkit.TestStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Tests of a collection's change feed and of the context on which it signals. */
class FeedTest {
  private final TestStore store = TestStore.at(null);
  private final ManualClock clock = new ManualClock();
  private final DocumentStore index =
      DocumentStore.over(
          store.kv(), DocumentStoreOptions.DEFAULT.withClock(clock).withBackground(false));
  private final DocumentCollection<JsonNode> items =
      index.collection(
          "c",
          JsonNode.class,
          CollectionDefinition.DEFAULT.withPartitionKey("/pk").withDefaultTtl(10));

  @AfterEach
  void end() {
    orNull(index.close());
    store.close();
  }

  private static ObjectNode item(String id, int pk) {
    return JsonNodeFactory.instance.objectNode().put("id", id).put("pk", pk);
  }

  private List<ItemChanges<JsonNode>> commits(Versionstamp since, int count) {
    return TestStore.all(items.changes(since).filter(commit -> !commit.isBookmark()).take(count));
  }

  @Test
  void emitsChangesOfItems() {
    Item<JsonNode> a = of(items.create(item("a", 1)));
    Item<JsonNode> b = of(items.create(item("b", 2)));
    Versionstamp gone = of(items.delete("a", PartitionKey.of(1), WriteOptions.DEFAULT));

    List<ItemChanges<JsonNode>> commits = commits(Versionstamp.ZERO, 3);
    assertThat(commits.get(0).changes()).containsExactly(new Change.Upsert<>(a));
    assertThat(commits.get(1).changes()).containsExactly(new Change.Upsert<>(b));
    assertThat(commits.get(2).versionstamp()).isEqualTo(gone);
    assertThat(commits.get(2).changes())
        .containsExactly(new Change.Delete<>("a", PartitionKey.of(1)));
    assertThat(commits(a.etag(), 2)).isEqualTo(commits.subList(1, 3));
  }

  @Test
  void emitsDeletionsOfExpiredItems() {
    of(items.create(item("a", 1)));
    Item<JsonNode> b = of(items.create(item("b", 1)));
    clock.advance(10);
    Item<JsonNode> again = of(items.create(item("a", 1)));
    of(
        index
            .collection("c", JsonNode.class)
            .replaceDefinition(
                CollectionDefinition.DEFAULT.withPartitionKey("/pk").withDefaultTtl(20))
            .last());

    List<ItemChanges<JsonNode>> commits = commits(b.etag(), 2);
    assertThat(commits.get(0).changes()).contains(new Change.Upsert<>(again));
    assertThat(commits.get(1).changes())
        .containsExactly(new Change.Delete<>("b", PartitionKey.of(1), null, true));
  }

  @Test
  void failsWhenTheCollectionIsDropped() {
    Item<JsonNode> a = of(items.create(item("a", 1)));
    of(index.drop("c"));
    DocumentStore worker = DocumentStore.over(store.kv());
    CollectionContract.assertCode(
        DocumentErrorCode.COLLECTION_NOT_FOUND,
        index.collection("c", JsonNode.class).changes(a.etag()));
    orNull(worker.close());
  }

  @Test
  void signalsOnTheSubscribersContext() {
    of(items.create(item("a", 1)));
    List<String> threads = new ArrayList<>();
    var context = store.vertx().getOrCreateContext();
    java.util.concurrent.CompletableFuture<Boolean> same =
        new java.util.concurrent.CompletableFuture<>();
    context.runOnContext(
        start -> {
          Thread mine = Thread.currentThread();
          Flux.concat(
                  items.read("a", PartitionKey.of(1)),
                  items.upsert(item("a", 1)),
                  items.changes(Versionstamp.ZERO).take(1))
              .doOnNext(signal -> threads.add(Thread.currentThread().getName()))
              .subscribe(
                  signal -> {},
                  same::completeExceptionally,
                  () -> same.complete(threads.stream().allMatch(mine.getName()::equals)));
        });

    assertThat(same.join()).isTrue();
    assertThat(threads).hasSize(3);
    String elsewhere =
        of(items.read("a", PartitionKey.of(1)).map(read -> Thread.currentThread().getName()));
    assertThat(elsewhere).startsWith("kv-documents");
  }
}
