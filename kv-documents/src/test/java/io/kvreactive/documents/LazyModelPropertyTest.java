package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.all;
import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.internal.StoredKeys;
import io.kvreactive.documents.testkit.TestStore;
import io.kvreactive.testing.ShortTries;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * Compares random writes and definition changes of a mostly lazy collection to a map, while other
 * handles catch up occasionally.
 */
class LazyModelPropertyTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final List<IndexingPolicy> POLICIES =
      List.of(
          IndexingPolicy.DEFAULT,
          IndexingPolicy.excludeRoot("/v/?", "/tags/[]/?"),
          IndexingPolicy.includeRoot("/tags/*")
              .withComposite(CompositePath.ascending("/v"), CompositePath.descending("/w")),
          IndexingPolicy.DEFAULT.withIncluded("/tags/[]/{x, y}/?"));

  private static final DocumentStoreOptions OPTIONS =
      DocumentStoreOptions.DEFAULT.withAllowLazy(true);

  private final Map<String, ObjectNode> model = new TreeMap<>();

  @Property(tries = 25, shrinking = ShrinkingMode.OFF)
  @ShortTries(3)
  void behavesLikeAMapInTheEnd(@ForAll long seed) {
    model.clear();
    Random random = new Random(seed);
    try (TestStore store = TestStore.at(null)) {
      DocumentStore quiet = DocumentStore.over(store.kv(), OPTIONS.withBackground(false));
      of(quiet.create("c", definition(random)));
      DocumentCollection<JsonNode> items = quiet.collection("c", JsonNode.class);
      List<DocumentStore> workers = new ArrayList<>();
      for (int step = 0; step < 150; step++) {
        switch (random.nextInt(20)) {
          case 0 -> items.replaceDefinition(definition(random)).next().block(PATIENCE);
          case 1 -> workers.add(DocumentStore.over(store.kv(), OPTIONS));
          case 2, 3 -> {
            if (!workers.isEmpty()) {
              orNull(workers.remove(0).close());
            }
          }
          case 4, 5, 6 -> {
            String id = "i" + random.nextInt(12);
            assertThat(orNull(items.delete(id)) != null).isEqualTo(model.remove(id) != null);
          }
          case 7, 8 -> query(items, random.nextInt(4));
          default -> {
            ObjectNode item = random(random);
            WriteOptions how =
                WriteOptions.DEFAULT.withDirective(
                    random.nextInt(5) == 0 ? IndexingDirective.EXCLUDE : IndexingDirective.INCLUDE);
            of(items.upsert(item, how));
            model.put(item.get("id").textValue(), item);
          }
        }
      }
      workers.add(DocumentStore.over(store.kv(), OPTIONS));
      assertThat(of(items.transformation().last()).isComplete()).isTrue();
      SqlQuery any = SqlQuery.of("SELECT * FROM c WHERE c.v = 1");
      TestStore.await(() -> of(items.explain(any)).plan().path("indexLag").longValue() == 0);
      workers.forEach(worker -> orNull(worker.close()));
      StoredKeys.check(store.kv(), "c");
      for (String id : model.keySet()) {
        assertThat(plain(of(items.read(id)).value())).isEqualTo(model.get(id));
      }
    }
  }

  /** Asserts that each row exists, matches and occurs once. */
  private void query(DocumentCollection<JsonNode> items, int v) {
    SqlQuery query = SqlQuery.of("SELECT * FROM c WHERE c.v = " + v);
    List<JsonNode> found = all(items.query(query, JsonNode.class));
    assertThat(found)
        .map(LazyModelPropertyTest::plain)
        .doesNotHaveDuplicates()
        .isSubsetOf(model.values())
        .allMatch(item -> item.get("v").intValue() == v);
  }

  private static CollectionDefinition definition(Random random) {
    IndexingPolicy policy = POLICIES.get(random.nextInt(POLICIES.size()));
    IndexingMode mode =
        switch (random.nextInt(8)) {
          case 0 -> IndexingMode.NONE;
          case 1, 2 -> IndexingMode.CONSISTENT;
          default -> IndexingMode.LAZY;
        };
    CollectionDefinition definition =
        CollectionDefinition.DEFAULT.withIndexingPolicy(policy.withIndexingMode(mode));
    return mode == IndexingMode.NONE || random.nextInt(3) > 0
        ? definition
        : definition.withDefaultTtl(10_000);
  }

  private static ObjectNode plain(JsonNode value) {
    ObjectNode copy = value.deepCopy();
    copy.remove(List.of("_ts", "_etag"));
    return copy;
  }

  private static ObjectNode random(Random random) {
    ObjectNode item = JsonNodeFactory.instance.objectNode().put("id", "i" + random.nextInt(12));
    item.put("v", random.nextInt(4));
    if (random.nextBoolean()) {
      item.put("w", "w" + random.nextInt(3));
    }
    var tags = item.putArray("tags");
    for (int i = random.nextInt(4); i > 0; i--) {
      tags.addObject().put("x", random.nextInt(2)).put("y", random.nextInt(2));
    }
    return item;
  }
}
