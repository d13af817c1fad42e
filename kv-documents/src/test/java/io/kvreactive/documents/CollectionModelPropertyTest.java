package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.internal.StoredKeys;
import io.kvreactive.documents.testkit.ManualClock;
import io.kvreactive.documents.testkit.TestStore;
import io.kvreactive.testing.ShortTries;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import reactor.core.publisher.Mono;

/** Compares random writes, definition changes and clock advances to a map. */
class CollectionModelPropertyTest {
  private static final List<IndexingPolicy> POLICIES =
      List.of(
          IndexingPolicy.DEFAULT,
          IndexingPolicy.excludeRoot("/v/?", "/tags/[]/?"),
          IndexingPolicy.includeRoot("/tags/*")
              .withComposite(CompositePath.ascending("/v"), CompositePath.descending("/w")),
          IndexingPolicy.DEFAULT.withIncluded("/tags/[]/{x, y}/?"));

  private static final class Model {
    final Map<String, ObjectNode> items = new TreeMap<>();
    final Map<String, Long> expiry = new TreeMap<>();

    void expire(long now) {
      expiry.entrySet().stream()
          .filter(entry -> entry.getValue() <= now)
          .map(Map.Entry::getKey)
          .toList()
          .forEach(this::remove);
    }

    void put(ObjectNode item, long now, Integer defaultTtl) {
      remove(item.get("id").textValue());
      items.put(item.get("id").textValue(), item);
      int ttl = item.path("ttl").asInt(defaultTtl == null ? -1 : defaultTtl);
      if (defaultTtl != null && ttl > 0) {
        expiry.put(item.get("id").textValue(), now + ttl);
      }
    }

    boolean holdsUnique(String id, JsonNode u) {
      return items.values().stream()
          .anyMatch(item -> !item.get("id").textValue().equals(id) && item.path("u").equals(u));
    }

    void remove(String id) {
      items.remove(id);
      expiry.remove(id);
    }
  }

  @Property(tries = 20, shrinking = ShrinkingMode.OFF)
  @ShortTries(6)
  void behavesLikeAMap(@ForAll long seed) {
    Random random = new Random(seed);
    ManualClock clock = new ManualClock();
    Integer ttl = random.nextBoolean() ? null : random.nextInt(3) == 0 ? -1 : 50;
    try (TestStore store = TestStore.at(null)) {
      DocumentStore index =
          DocumentStore.over(store.kv(), DocumentStoreOptions.DEFAULT.withClock(clock));
      CollectionDefinition definition =
          CollectionDefinition.DEFAULT.withDefaultTtl(ttl).withUniqueKeys(UniqueKey.of("/u"));
      of(index.create("c", definition));
      DocumentCollection<JsonNode> items = index.collection("c", JsonNode.class);
      Model model = new Model();
      for (int step = 0; step < 120; step++) {
        long now = clock.instant().getEpochSecond();
        model.expire(now);
        ObjectNode item = random(random);
        String id = item.get("id").textValue();
        boolean there = model.items.containsKey(id);
        boolean taken = model.holdsUnique(id, item.path("u"));
        switch (random.nextInt(9)) {
          case 0, 1 -> {
            String code = code(items.create(item));
            assertThat(code).isEqualTo(there || taken ? "ITEM_EXISTS" : "");
            if (code.isEmpty()) {
              model.put(item, now, ttl);
            }
          }
          case 2, 3, 4 -> {
            String code = code(items.upsert(item));
            assertThat(code).isEqualTo(taken ? "ITEM_EXISTS" : "");
            if (code.isEmpty()) {
              model.put(item, now, ttl);
            }
          }
          case 5 -> {
            String code = code(items.replace(item));
            assertThat(code).isEqualTo(!there ? "ITEM_NOT_FOUND" : taken ? "ITEM_EXISTS" : "");
            if (code.isEmpty()) {
              model.put(item, now, ttl);
            }
          }
          case 6 -> {
            assertThat(orNull(items.delete(id)) != null).isEqualTo(there);
            model.remove(id);
          }
          case 7 -> clock.advance(random.nextInt(20));
          default -> {
            if (random.nextInt(4) == 0) {
              IndexingPolicy policy = POLICIES.get(random.nextInt(POLICIES.size()));
              of(items.replaceDefinition(definition.withIndexingPolicy(policy)).last());
            }
          }
        }
      }
      model.expire(clock.instant().getEpochSecond());
      for (int i = 0; i < 12; i++) {
        Item<JsonNode> read = orNull(items.read("i" + i));
        ObjectNode expected = model.items.get("i" + i);
        assertThat(read == null ? null : plain(read.value())).isEqualTo(expected);
      }
      orNull(items.transformation().last());
      orNull(index.close());
      StoredKeys.check(store.kv(), "c");
    }
  }

  private static ObjectNode plain(JsonNode value) {
    ObjectNode copy = value.deepCopy();
    copy.remove(List.of("_ts", "_etag"));
    return copy;
  }

  private static ObjectNode random(Random random) {
    String id = "i" + random.nextInt(12);
    ObjectNode item = JsonNodeFactory.instance.objectNode().put("id", id);
    item.put("u", random.nextInt(3) == 0 ? "shared" + random.nextInt(3) : "of " + id);
    item.put("v", random.nextInt(4));
    if (random.nextBoolean()) {
      item.put("w", "w" + random.nextInt(3));
    }
    if (random.nextInt(4) == 0) {
      item.put("ttl", random.nextBoolean() ? -1 : 1 + random.nextInt(30));
    }
    var tags = item.putArray("tags");
    for (int i = random.nextInt(4); i > 0; i--) {
      tags.addObject().put("x", random.nextInt(2)).put("y", random.nextInt(2));
    }
    return item;
  }

  private static String code(Mono<?> mono) {
    try {
      mono.block();
      return "";
    } catch (DocumentException e) {
      return e.code().name();
    }
  }
}
