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
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ItemChanges.Change;
import io.kvreactive.documents.testkit.HookedEngine;
import io.kvreactive.documents.testkit.TestStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Checks that handles of one collection share state and discard it when the definition changes. */
class SharedCollectionTest {
  private static final CollectionDefinition BY_PK =
      CollectionDefinition.DEFAULT.withPartitionKey("/pk");
  private static final CollectionDefinition BY_CITY =
      CollectionDefinition.DEFAULT.withPartitionKey("/city");
  private static final String CITIES = "SELECT VALUE c.id FROM c WHERE c.city = @city";
  private static final Map<String, Object> OSLO = Map.of("@city", "Oslo");

  private final TestStore store = TestStore.at(null);
  private final DocumentStore index =
      DocumentStore.over(store.kv(), DocumentStoreOptions.DEFAULT.withBackground(false));
  private final DocumentStore other = // like another process
      DocumentStore.over(store.kv(), DocumentStoreOptions.DEFAULT.withBackground(false));

  @AfterEach
  void end() {
    orNull(index.close());
    orNull(other.close());
    store.close();
  }

  private DocumentCollection<JsonNode> handle() {
    return index.collection("c", JsonNode.class);
  }

  private static ObjectNode item(String id) {
    return JsonNodeFactory.instance.objectNode().put("id", id).put("pk", 1).put("city", "Oslo");
  }

  @Test
  void sharesReservedDocumentIds() {
    Versionstamp created = of(index.create("c", BY_PK)).etag();
    int items = 200;
    List<Item<JsonNode>> stored =
        all(Flux.range(0, items).flatMap(n -> handle().create(item("i" + n)), 64));
    long last = stored.stream().mapToLong(item -> item.etag().version()).max().orElseThrow();
    // one commit per item, and one that reserves all ids
    assertThat(last - created.version()).isEqualTo(items + 1);
  }

  @Test
  void countsOperationsTogetherSoThatBackgroundWorkYieldsToThemAll() {
    LongAdder operations = store.kv().engine().userOperations();
    of(index.create("c", BY_PK));
    long before = operations.sum();
    of(handle().create(item("a")));
    of(other.collection("c", JsonNode.class).create(item("b")));
    all(handle().query(CITIES, OSLO));
    assertThat(operations.sum() - before).isEqualTo(3);
  }

  @Test
  void noticesACollectionRecreatedElsewhere() {
    of(index.create("c", BY_PK));
    of(handle().create(item("a")));
    assertThat(all(handle().query(CITIES, OSLO))).hasSize(1);
    assertThat(of(handle().read("a", PartitionKey.of(1))).id()).isEqualTo("a");

    assertThat(of(other.drop("c"))).isTrue();
    of(other.create("c", BY_CITY));
    assertThat(all(handle().query(CITIES, OSLO))).isEmpty();
    assertThat(orNull(handle().read("a", PartitionKey.of("Oslo")))).isNull();
    of(handle().create(item("b")));
    assertThat(of(handle().read("b", PartitionKey.of("Oslo"))).id()).isEqualTo("b");
  }

  @Test
  void noticesAPolicyReplacedElsewhere() {
    of(index.create("c", BY_PK));
    of(handle().create(item("a")));
    SqlQuery indexed =
        SqlQuery.of(CITIES, OSLO).withOptions(QueryOptions.DEFAULT.withEnableScan(false));
    assertThat(of(handle().page(indexed, String.class)).items()).containsExactly("a");

    IndexingPolicy none =
        Definitions.parsePolicy("{\"indexingMode\":\"none\",\"automatic\":false}");
    of(
        other
            .collection("c", JsonNode.class)
            .replaceDefinition(BY_PK.withIndexingPolicy(none))
            .last());
    assertThatThrownBy(() -> of(handle().page(indexed, String.class)))
        .isInstanceOfSatisfying(
            DocumentException.class,
            e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.SCAN_NOT_ENABLED));
  }

  @Test
  void followsACollectionRecreatedElsewhere() {
    of(index.create("c", BY_PK));
    of(handle().create(item("a")));
    of(other.drop("c"));
    Versionstamp recreated = of(other.create("c", BY_PK)).etag();
    Item<JsonNode> b = of(other.collection("c", JsonNode.class).create(item("b")));

    List<ItemChanges<JsonNode>> commits =
        all(handle().changes(recreated).filter(commit -> !commit.isBookmark()).take(1));
    assertThat(commits.get(0).changes()).containsExactly(new Change.Upsert<>(b));
  }

  @Test
  void cancelsTheFeedOfACollectionReplacedElsewhere() {
    HookedEngine engine = new HookedEngine(store.kv().engine());
    Kv kv = of(Kv.open(store.vertx(), engine));
    DocumentStore hooked =
        DocumentStore.over(kv, DocumentStoreOptions.DEFAULT.withBackground(false));
    DocumentCollection<JsonNode> items = hooked.collection("c", JsonNode.class);
    of(index.create("c", BY_PK));
    of(items.create(item("a"))); // knows the collection from now on
    of(other.drop("c"));
    Versionstamp recreated = of(other.create("c", BY_PK)).etag();
    of(handle().create(item("b")));

    assertThat(all(items.changes(recreated).filter(commit -> !commit.isBookmark()).take(1)))
        .hasSize(1);
    assertThat(engine.feeds).hasValue(2);
    TestStore.await(() -> engine.endedFeeds.get() == 2);

    of(other.drop("c"));
    assertThatThrownBy(() -> all(items.changes(null)))
        .isInstanceOfSatisfying(
            DocumentException.class,
            e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.COLLECTION_NOT_FOUND));
    assertThat(engine.feeds).hasValue(3);
    TestStore.await(() -> engine.endedFeeds.get() == 3);
    orNull(hooked.close());
  }

  @Test
  void recreatesADroppedCollectionByAHandleWithADefinition() {
    DocumentCollection<JsonNode> defined = index.collection("c", JsonNode.class, BY_PK);
    of(defined.create(item("a")));
    of(other.drop("c"));
    assertThat(all(defined.query(CITIES, OSLO))).isEmpty();
    of(other.drop("c"));
    of(defined.create(item("b")));
    assertThat(of(handle().read("b", PartitionKey.of(1))).id()).isEqualTo("b");
  }

  @Test
  void keepsAHandleWithAReplacedDefinitionUsable() {
    DocumentCollection<JsonNode> defined = index.collection("c", JsonNode.class, BY_PK);
    of(defined.create(item("a")));
    of(handle().replaceDefinition(BY_PK.withDefaultTtl(1000)).last());
    of(defined.create(item("b")));
    assertThatThrownBy(() -> of(index.collection("c", JsonNode.class, BY_PK).create(item("late"))))
        .isInstanceOfSatisfying(
            DocumentException.class,
            e -> {
              assertThat(e.code()).isEqualTo(DocumentErrorCode.COLLECTION_EXISTS);
              assertThat(e).hasMessageContaining("\"c\" exists with a different definition");
            });
  }

  @Test
  void rejectsOperationsOnACollectionThatDoesNotExist() {
    assertThatThrownBy(() -> of(handle().create(item("a"))))
        .isInstanceOfSatisfying(
            DocumentException.class,
            e -> {
              assertThat(e.code()).isEqualTo(DocumentErrorCode.COLLECTION_NOT_FOUND);
              assertThat(e).hasMessageContaining("collection \"c\" does not exist");
            });
  }
}
