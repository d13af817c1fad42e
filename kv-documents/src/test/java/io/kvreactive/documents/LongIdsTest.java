package io.kvreactive.documents;

import static io.kvreactive.documents.CollectionContract.assertCode;
import static io.kvreactive.documents.testkit.TestStore.all;
import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvKey;
import io.kvreactive.documents.internal.StoredKeys;
import io.kvreactive.documents.internal.store.CollectionKeys;
import io.kvreactive.documents.internal.store.CollectionRecord;
import io.kvreactive.documents.internal.store.CollectionRecord.LongIds;
import io.kvreactive.documents.testkit.TestStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;

/** Collections with long partition keys and ids, also those that an earlier build created. */
class LongIdsTest {
  private static final String LONG = "x".repeat(300);

  private static final List<JsonNode> VALUES =
      List.of(
          TextNode.valueOf("a"),
          TextNode.valueOf("a\0"),
          TextNode.valueOf(LONG),
          TextNode.valueOf(LONG + "y"),
          IntNode.valueOf(7),
          NullNode.getInstance());

  private static final List<String> IDS = List.of("i", "j" + LONG, "k" + LONG + LONG);

  private final TestStore store = TestStore.at(null);
  private final DocumentStore index = DocumentStore.over(store.kv());

  @AfterEach
  void close() {
    orNull(index.close());
    store.close();
  }

  private DocumentCollection<JsonNode> create(LongIds form) {
    of(index.create("c", CollectionDefinition.DEFAULT.withPartitionKey("/p", "/q")));
    if (form == LongIds.HASHED) {
      KvKey key = KvKey.fromEncoded(CollectionKeys.definition("kvi", "c"));
      of(store.kv().set(key, StoredKeys.ofEarlierBuild(record()).encode()));
    }
    return index.collection("c", JsonNode.class);
  }

  private CollectionRecord record() {
    return StoredKeys.view(store.kv(), "c").record();
  }

  private static List<JsonNode> items() {
    List<JsonNode> items = new ArrayList<>();
    for (JsonNode p : VALUES) {
      for (JsonNode q : VALUES) {
        for (String id : IDS) {
          ObjectNode item = JsonNodeFactory.instance.objectNode().put("id", id);
          item.set("p", p);
          item.set("q", q);
          items.add(item);
        }
      }
    }
    return items;
  }

  private static PartitionKey partition(JsonNode item) {
    return PartitionKey.of(item.get("p"), item.get("q"));
  }

  private static QueryPage<JsonNode> page(DocumentCollection<?> items, PartitionKey partition) {
    SqlQuery query = SqlQuery.of("SELECT c.id, c.p, c.q FROM c");
    return of(
        items.page(
            query.withOptions(QueryOptions.DEFAULT.withPartitionKey(partition)), JsonNode.class));
  }

  @ParameterizedTest
  @EnumSource(LongIds.class)
  void findsAndDeletesItemsOfEachPartition(LongIds form) {
    DocumentCollection<JsonNode> items = create(form);
    List<JsonNode> stored = items();
    of(items.load(Flux.fromIterable(stored)).last());
    assertThat(record().longIds()).isEqualTo(form);
    items
        .replaceDefinition(
            CollectionDefinition.DEFAULT.withPartitionKey("/p", "/q").withDefaultTtl(-1))
        .blockLast();
    assertThat(record().longIds()).isEqualTo(form);

    for (JsonNode item : stored) {
      String id = item.get("id").textValue();
      ObjectNode found = (ObjectNode) of(items.read(id, partition(item))).value();
      assertThat(found.retain("id", "p", "q")).isEqualTo(item);
      assertCode(DocumentErrorCode.ITEM_EXISTS, items.create(item));
      assertThat(page(items, partition(item)).items())
          .hasSize(IDS.size())
          .allMatch(row -> partition(row).equals(partition(item)));
    }
    for (JsonNode p : VALUES) {
      assertThat(page(items, PartitionKey.of(p)).items())
          .containsExactlyInAnyOrderElementsOf(
              stored.stream().filter(item -> item.get("p").equals(p)).toList());
    }
    for (JsonNode q : VALUES) {
      assertThat(of(items.deleteAll(PartitionKey.of(VALUES.get(2), q)))).isEqualTo(IDS.size());
    }
    for (JsonNode p : VALUES) {
      boolean gone = p.equals(VALUES.get(2));
      assertThat(of(items.deleteAll(PartitionKey.of(p))))
          .isEqualTo(gone ? 0 : VALUES.size() * IDS.size());
    }
    assertThat(all(items.query("SELECT * FROM c"))).isEmpty();
    StoredKeys.check(store.kv(), "c");
  }

  @ParameterizedTest
  @EnumSource(LongIds.class)
  void readsNoOtherPartitionUnlessAnEarlierBuildCreatedTheCollection(LongIds form) {
    DocumentCollection<JsonNode> items = create(form);
    of(items.load(Flux.fromIterable(items())).last());
    int all = VALUES.size() * VALUES.size() * IDS.size();
    for (List<JsonNode> values : List.of(VALUES.subList(2, 3), VALUES.subList(2, 4))) {
      QueryPage<JsonNode> page = page(items, PartitionKey.of(values.toArray()));
      int own = values.size() == 1 ? VALUES.size() * IDS.size() : IDS.size();

      assertThat(page.items()).hasSize(own);
      if (form == LongIds.GROUPED) {
        assertThat(page.metrics().entriesRead()).isEqualTo(own);
        assertThat(page.metrics().retrievedItems()).isEqualTo(own);
      } else {
        assertThat(page.metrics().retrievedItems()).isBetween((long) all / 2, 2L * all);
      }
    }
  }

  @Test
  void rejectsTheRecordOfAnUnknownForm() {
    of(index.create("c", CollectionDefinition.DEFAULT));
    String text = new String(record().encode().bytes(), StandardCharsets.UTF_8);
    byte[] later = text.replace("GROUPED", "SORTED").getBytes(StandardCharsets.UTF_8);

    assertThatThrownBy(() -> CollectionRecord.decode(later))
        .satisfies(e -> assertThat(KvError.is(e, KvErrorCode.CORRUPT)).isTrue());
  }
}
