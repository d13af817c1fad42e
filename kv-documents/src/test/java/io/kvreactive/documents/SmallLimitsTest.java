package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvLimits;
import io.kvreactive.documents.internal.StoredKeys;
import io.kvreactive.documents.testkit.TestStore;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Tests of collections in a store with the limits of Deno KV. */
class SmallLimitsTest {
  private static ObjectNode item(int i) {
    return JsonNodeFactory.instance.objectNode().put("id", "i" + i).put("a", i).put("b", "b" + i);
  }

  @Test
  void storesAndQueriesItemsWithinSmallLimits() {
    try (TestStore store = TestStore.withLimits(KvLimits.DENO)) {
      DocumentStore index = DocumentStore.over(store.kv());
      DocumentCollection<JsonNode> items =
          index.collection("c", JsonNode.class, CollectionDefinition.DEFAULT);
      Flux.range(0, 500).flatMap(i -> items.create(item(i)), 32).blockLast();
      ObjectNode wide = item(1000);
      for (int i = 0; i < 2000; i++) {
        wide.put("p" + i, i);
      }
      CollectionContract.assertCode(DocumentErrorCode.ITEM_TOO_LARGE, items.create(wide));
      assertThat(orNull(items.read("i1000"))).isNull();
      CollectionContract.assertCode(
          DocumentErrorCode.ITEM_TOO_LARGE, items.create(item(1001).put("x", "y".repeat(70_000))));

      DocumentCollection<JsonNode> any = index.collection("c", JsonNode.class);
      of(
          any.replaceDefinition(
                  CollectionDefinition.DEFAULT.withIndexingPolicy(
                      IndexingPolicy.includeRoot("/b/?")
                          .withComposite(
                              CompositePath.ascending("/a"), CompositePath.descending("/b"))))
              .last());
      StoredKeys.check(store.kv(), "c");
      of(any.replaceDefinition(CollectionDefinition.DEFAULT.withDefaultTtl(1000)).last());
      StoredKeys.check(store.kv(), "c");
      orNull(index.close());
    }
  }

  /** Old and new entries of an item together exceed the limit of one commit. */
  @Test
  void catchesUpLazyIndexesWithinSmallLimits() {
    DocumentStoreOptions lazy = DocumentStoreOptions.DEFAULT.withAllowLazy(true);
    try (TestStore store = TestStore.withLimits(KvLimits.DENO)) {
      DocumentStore quiet = DocumentStore.over(store.kv(), lazy.withBackground(false));
      DocumentCollection<JsonNode> items =
          quiet.collection(
              "c",
              JsonNode.class,
              CollectionDefinition.DEFAULT.withIndexingPolicy(
                  IndexingPolicy.DEFAULT.withIndexingMode(IndexingMode.LAZY)));
      for (String letter : List.of("p", "q")) {
        Flux.range(0, 200).concatMap(i -> items.upsert(item(i))).blockLast();
        ObjectNode wide = item(1000);
        for (int i = 0; i < 600; i++) {
          wide.put(letter + i, i);
        }
        of(items.upsert(wide));
        DocumentStore worker = DocumentStore.over(store.kv(), lazy);
        SqlQuery query = SqlQuery.of("SELECT * FROM c WHERE c." + letter + "7 = 7");
        TestStore.await(() -> of(items.explain(query)).plan().get("indexLag").longValue() == 0);
        orNull(worker.close());
        assertThat(TestStore.all(items.query(query, JsonNode.class))).hasSize(1);
        StoredKeys.check(store.kv(), "c");
      }
      ObjectNode wider = item(1001);
      for (int i = 0; i < 2000; i++) {
        wider.put("p" + i, i);
      }
      CollectionContract.assertCode(DocumentErrorCode.ITEM_TOO_LARGE, items.create(wider));
    }
  }
}
