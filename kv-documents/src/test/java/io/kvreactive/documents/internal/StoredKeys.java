package io.kvreactive.documents.internal;

import static io.kvreactive.documents.testkit.TestStore.of;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvValue;
import io.kvreactive.documents.internal.layout.ItemEntries;
import io.kvreactive.documents.internal.store.CollectionKeys;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.CollectionRecord;
import io.kvreactive.documents.internal.store.ExpiryKind;
import io.kvreactive.documents.internal.store.StoredItem;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.documents.testkit.TestStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Reads and checks the stored keys of collections. */
public final class StoredKeys {
  private StoredKeys() {}

  public static CollectionMetadata view(Kv kv, String name) {
    byte[] key = CollectionKeys.definition("kvi", name);
    var entry = of(kv.get(KvKey.fromEncoded(key), KvValue.class));
    assertThat(entry.exists()).as(name).isTrue();
    return CollectionMetadata.decode("kvi", name, entry.value().bytes(), entry.versionstamp());
  }

  /** Returns a record as earlier builds wrote it, whose collections do not group long ids. */
  public static CollectionRecord ofEarlierBuild(CollectionRecord record) {
    ObjectNode json = (ObjectNode) Json.parse(record.encode().bytes());
    json.remove("longIds");
    return CollectionRecord.decode(Json.write(json));
  }

  /** Returns all keys of a collection in a key space. */
  public static List<KvKey> keys(Kv kv, CollectionMetadata view, String space) {
    List<KvKey> keys = new ArrayList<>();
    KvRange range = KvRange.prefix(KvKey.of("kvi", view.record().id(), space));
    TestStore.all(kv.list(range, KvValue.class)).forEach(entry -> keys.add(entry.key()));
    return keys;
  }

  public static long countAll(Kv kv, String collectionId) {
    return of(kv.count(KvRange.prefix(KvKey.of("kvi", collectionId))));
  }

  /** Asserts that the collection consists of exactly the keys that its items require. */
  public static void check(Kv kv, String name) {
    CollectionMetadata view = view(kv, name);
    assertThat(view.record().builds()).as("builds").isEmpty();
    assertThat(view.record().drops()).as("drops").isEmpty();
    String id = view.record().id();
    CollectionKeys keys = view.keys();
    TreeSet<KvKey> expected = new TreeSet<>();
    Map<String, Long> ids = new HashMap<>();
    var items = TestStore.all(kv.list(KvRange.prefix(KvKey.of("kvi", id, "D")), KvValue.class));
    for (var entry : items) {
      long docId = keys.docIdOfItem(entry.key().bytes());
      StoredItem item = StoredItem.decode(entry.value().bytes(), entry.versionstamp());
      var document = item.indexable();
      ItemEntries entries = ItemEntries.of(view.writeLayout(), document, docId);
      expected.add(entry.key());
      entries.unique().forEach(unique -> expected.add(key(keys.unique(unique.key()))));
      if (item.indexed()) {
        entries.keys().forEach(raw -> expected.add(key(keys.entry(raw))));
      }
      Integer ttl = StoredItem.ttl(document);
      if (view.defaultTtl() != null && ttl == null) {
        expected.add(key(keys.expiry(ExpiryKind.WRITTEN, item.timestamp(), docId)));
      } else if (view.defaultTtl() != null && ttl > 0) {
        expected.add(key(keys.expiry(ExpiryKind.EXPIRES, item.timestamp() + ttl, docId)));
      }
      ids.merge(document.get("id").textValue(), 1L, Long::sum);
    }
    TreeSet<KvKey> found = new TreeSet<>();
    long idKeys = 0;
    var all = TestStore.all(kv.list(KvRange.prefix(KvKey.of("kvi", id)), KvValue.class));
    for (var entry : all) {
      switch (entry.key().stringAt(2)) {
        case "I" -> idKeys++;
        case "DX", "J", "N" -> {}
        default -> found.add(entry.key());
      }
    }
    assertThat(found).isEqualTo(expected);
    assertThat(idKeys).as("ids").isEqualTo(items.size());
    if (view.writeLayout().partitionKey().isEmpty()) {
      assertThat(ids.values()).allMatch(count -> count == 1);
    }
  }

  private static KvKey key(byte[] bytes) {
    return KvKey.fromEncoded(bytes);
  }

  public static boolean contains(List<KvKey> keys, byte[] key) {
    return keys.stream().anyMatch(other -> Arrays.equals(other.bytes(), key));
  }
}
