package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.internal.StoredKeys;
import io.kvreactive.documents.testkit.ManualClock;
import io.kvreactive.documents.testkit.TestStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the expiry of items. */
class ExpiryTest {
  private final TestStore store = TestStore.at(null);
  private final ManualClock clock = new ManualClock();
  private final DocumentStoreOptions options =
      DocumentStoreOptions.DEFAULT.withClock(clock).withBackground(false);
  private final DocumentStore index = DocumentStore.over(store.kv(), options);

  @AfterEach
  void end() {
    orNull(index.close());
    store.close();
  }

  private DocumentCollection<JsonNode> collection(@Nullable Integer defaultTtl) {
    return index.collection(
        "c", JsonNode.class, CollectionDefinition.DEFAULT.withDefaultTtl(defaultTtl));
  }

  private static ObjectNode item(String id, @Nullable Integer ttl) {
    ObjectNode node = JsonNodeFactory.instance.objectNode().put("id", id);
    return ttl == null ? node : node.put("ttl", ttl);
  }

  @ParameterizedTest
  @CsvSource({
    ",,",
    ",-1,",
    ",30,",
    "-1,,",
    "-1,-1,",
    "-1,30,30",
    "50,,50",
    "50,-1,",
    "50,30,30",
    "50,70,70",
    "2147483647,1,1",
    "1,2147483647,2147483647"
  })
  void expiresItemsAfterTheirTimeToLive(
      @Nullable Integer defaultTtl, @Nullable Integer itemTtl, @Nullable Integer expected) {
    DocumentCollection<JsonNode> items = collection(defaultTtl);
    of(items.create(item("a", itemTtl)));

    if (expected == null) {
      clock.advance(3_000_000_000L);
      assertThat(orNull(items.read("a"))).isNotNull();
    } else {
      clock.advance(expected - 1);
      assertThat(orNull(items.read("a"))).isNotNull();
      clock.advance(1);
      assertThat(orNull(items.read("a"))).isNull();
    }
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void restartsTheTimeToLiveOnEveryWrite() {
    DocumentCollection<JsonNode> items = collection(10);
    of(items.create(item("a", null)));
    clock.advance(9);
    of(items.patch("a", new PatchOperation.Set("/x", 1)));
    clock.advance(9);
    assertThat(orNull(items.read("a"))).isNotNull();
    clock.advance(1);
    assertThat(orNull(items.read("a"))).isNull();
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void hidesExpiredItemsFromWriters() {
    DocumentCollection<JsonNode> items = collection(10);
    Item<JsonNode> old = of(items.create(item("a", null)));
    of(items.create(item("b", null)));
    of(items.create(item("c", null)));
    clock.advance(10);

    CollectionContract.assertCode(DocumentErrorCode.ITEM_NOT_FOUND, items.replace(item("a", null)));
    CollectionContract.assertCode(
        DocumentErrorCode.ITEM_NOT_FOUND, items.patch("a", new PatchOperation.Set("/x", 1)));
    CollectionContract.assertCode(
        DocumentErrorCode.ETAG_MISMATCH,
        items.upsert(item("a", null), WriteOptions.ifMatch(old.etag())));
    assertThat(orNull(items.delete("a"))).isNull();
    of(items.create(item("a", null)));
    assertThat(of(items.put(item("b", null), WriteOptions.DEFAULT)).isCreated()).isTrue();
    assertThat(orNull(items.read("a"))).isNotNull();
    assertThat(orNull(items.read("b"))).isNotNull();
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void releasesUniqueValuesOfExpiredItems() {
    DocumentCollection<JsonNode> items =
        index.collection(
            "c",
            JsonNode.class,
            CollectionDefinition.DEFAULT.withDefaultTtl(10).withUniqueKeys(UniqueKey.of("/email")));
    of(items.create(item("a", null).put("email", "x")));
    of(items.create(item("b", 100).put("email", "y")));
    clock.advance(10);

    of(items.create(item("z", null).put("email", "x")));
    CollectionContract.assertCode(
        DocumentErrorCode.ITEM_EXISTS, items.create(item("y", null).put("email", "y")));
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void removesExpiredItemsInTheBackground() {
    DocumentCollection<JsonNode> items = collection(10);
    for (int i = 0; i < 300; i++) {
      of(items.create(item("i" + i, i % 3 == 0 ? 1000 : null)));
    }
    var view = StoredKeys.view(store.kv(), "c");
    clock.advance(10);

    DocumentStore sweeper = DocumentStore.over(store.kv(), options.withBackground(true));
    TestStore.await(() -> StoredKeys.keys(store.kv(), view, "D").size() == 100);
    orNull(sweeper.close());
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void doesNotRestoreExpiredItemsOnALongerDefault() {
    DocumentCollection<JsonNode> items = collection(10);
    of(items.create(item("gone", null)));
    of(items.create(item("stays", 1000)));
    clock.advance(10);

    of(
        index
            .collection("c", JsonNode.class)
            .replaceDefinition(CollectionDefinition.DEFAULT.withDefaultTtl(1000))
            .last());
    assertThat(orNull(items.read("gone"))).isNull();
    assertThat(orNull(items.read("stays"))).isNotNull();
    of(items.create(item("later", null)));
    clock.advance(1000);
    of(
        index
            .collection("c", JsonNode.class)
            .replaceDefinition(CollectionDefinition.DEFAULT.withDefaultTtl(null))
            .last());
    assertThat(orNull(items.read("later"))).isNull();
    assertThat(orNull(items.read("stays"))).isNull();
    StoredKeys.check(store.kv(), "c");
  }

  @Test
  void expiresExistingItemsWhenTurnedOn() {
    DocumentCollection<JsonNode> items = collection(null);
    of(items.create(item("a", null)));
    of(items.create(item("b", 5)));
    of(
        items.create(
            item("out", null), WriteOptions.DEFAULT.withDirective(IndexingDirective.EXCLUDE)));
    clock.advance(20);
    assertThat(orNull(items.read("b"))).isNotNull();

    of(
        index
            .collection("c", JsonNode.class)
            .replaceDefinition(CollectionDefinition.DEFAULT.withDefaultTtl(30))
            .last());
    StoredKeys.check(store.kv(), "c");
    assertThat(orNull(items.read("a"))).isNotNull();
    assertThat(orNull(items.read("b"))).isNull();
    clock.advance(10);
    assertThat(orNull(items.read("a"))).isNull();
    assertThat(orNull(items.read("out"))).isNull();
  }

  @Test
  void rejectsExpiryWithModeNone() {
    assertThatThrownBy(
            () ->
                CollectionDefinition.DEFAULT
                    .withDefaultTtl(60)
                    .withIndexingPolicy(IndexingPolicy.none()))
        .isInstanceOf(DocumentException.class);
    assertThatThrownBy(
            () ->
                CollectionDefinition.DEFAULT
                    .withIndexingPolicy(IndexingPolicy.none())
                    .withDefaultTtl(60))
        .isInstanceOf(DocumentException.class);
  }
}
