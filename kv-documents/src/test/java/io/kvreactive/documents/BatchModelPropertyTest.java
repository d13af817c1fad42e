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
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** Compares random batches, patches and queries within partitions to a map for each partition. */
class BatchModelPropertyTest {
  private static final int PARTITIONS = 3;
  private static final int IDS = 5;

  /** The items of one partition by id, and the rules of single operations. */
  private static final class Model {
    final TreeMap<String, ObjectNode> items = new TreeMap<>();

    Model copy() {
      Model copy = new Model();
      copy.items.putAll(items);
      return copy;
    }

    private boolean isTaken(ObjectNode item) {
      return items.values().stream()
          .anyMatch(
              other ->
                  other.get("u").equals(item.get("u")) && !other.get("id").equals(item.get("id")));
    }

    private String put(ObjectNode item) {
      if (isTaken(item)) {
        return "ITEM_EXISTS";
      }
      items.put(item.get("id").textValue(), item);
      return "";
    }

    /** Applies an operation and returns the code of its error, or an empty text. */
    String apply(BatchOperation operation) {
      if (operation instanceof BatchOperation.Create create) {
        ObjectNode item = (ObjectNode) create.document();
        return items.containsKey(item.get("id").textValue()) ? "ITEM_EXISTS" : put(item);
      }
      if (operation instanceof BatchOperation.Upsert upsert) {
        return put((ObjectNode) upsert.document());
      }
      if (operation instanceof BatchOperation.Replace replace) {
        ObjectNode item = (ObjectNode) replace.document();
        return items.containsKey(item.get("id").textValue()) ? put(item) : "ITEM_NOT_FOUND";
      }
      if (operation instanceof BatchOperation.Read read) {
        return items.containsKey(read.id()) ? "" : "ITEM_NOT_FOUND";
      }
      if (operation instanceof BatchOperation.Delete delete) {
        return items.remove(delete.id()) == null ? "ITEM_NOT_FOUND" : "";
      }
      return patch((BatchOperation.Patch) operation);
    }

    private String patch(BatchOperation.Patch patch) {
      ObjectNode old = items.get(patch.id());
      if (old == null) {
        return "ITEM_NOT_FOUND";
      }
      if (patch.options().filter() != null && old.path("v").asInt(-1) < 2) {
        return "CONDITION_NOT_MET";
      }
      ObjectNode item = old.deepCopy();
      for (PatchOperation step : patch.operations()) {
        if (step instanceof PatchOperation.Increment increment) {
          item.put("v", item.path("v").asInt(0) + increment.by().intValue());
        } else if (step instanceof PatchOperation.Move move) {
          JsonNode moved = item.remove(move.from().substring(1));
          if (moved == null) {
            return "INVALID_PATCH";
          }
          item.set(move.path().substring(1), moved);
        } else {
          item.put("u", (String) ((PatchOperation.Set) step).value());
        }
      }
      return put(item);
    }
  }

  @Property(tries = 12, shrinking = ShrinkingMode.OFF)
  @ShortTries(4)
  void behaveLikeMaps(@ForAll long seed) {
    Random random = new Random(seed);
    try (TestStore store = TestStore.at(null)) {
      DocumentStore index =
          DocumentStore.over(store.kv(), DocumentStoreOptions.DEFAULT.withAllowLazy(true));
      IndexingMode mode = random.nextBoolean() ? IndexingMode.CONSISTENT : IndexingMode.LAZY;
      of(
          index.create(
              "c",
              CollectionDefinition.DEFAULT
                  .withPartitionKey("/p/a", "/q")
                  .withUniqueKeys(UniqueKey.of("/u"))
                  .withIndexingPolicy(IndexingPolicy.DEFAULT.withIndexingMode(mode))));
      DocumentCollection<JsonNode> items = index.collection("c", JsonNode.class);
      List<Model> models = new ArrayList<>();
      for (int i = 0; i < PARTITIONS; i++) {
        models.add(new Model());
      }
      for (int step = 0; step < 60; step++) {
        int partition = random.nextInt(PARTITIONS);
        TransactionalBatch batch = batch(random, partition);
        Model after = models.get(partition).copy();
        String expected = "";
        List<ObjectNode> left = new ArrayList<>();
        for (int i = 0; i < batch.operations().size() && expected.isEmpty(); i++) {
          String code = after.apply(batch.operations().get(i));
          expected = code.isEmpty() ? "" : i + " " + code;
          left.add(after.items.get(id(batch.operations().get(i))));
        }
        assertThat(outcome(items, batch, left)).as("%s", batch).isEqualTo(expected);
        if (expected.isEmpty()) {
          models.set(partition, after);
        }
        if (random.nextInt(6) == 0) {
          check(items, models);
        }
      }
      if (random.nextBoolean()) {
        assertThat(of(items.deleteAll(PartitionKey.of("p", 1))))
            .isEqualTo(models.get(1).items.size());
        models.get(1).items.clear();
      }
      check(items, models);
      SqlQuery indexed = SqlQuery.of("SELECT * FROM c WHERE c.v = 1");
      TestStore.await(() -> of(items.explain(indexed)).plan().path("indexLag").longValue() == 0);
      orNull(index.close());
      StoredKeys.check(store.kv(), "c");
    }
  }

  private static String outcome(
      DocumentCollection<JsonNode> items, TransactionalBatch batch, List<ObjectNode> left) {
    try {
      List<ObjectNode> found = new ArrayList<>();
      for (BatchResult.Result<JsonNode> result : of(items.execute(batch)).results()) {
        found.add(result.item() == null ? null : plain(result.item().value()));
      }
      assertThat(found).isEqualTo(left);
      return "";
    } catch (BatchException e) {
      return e.failedOperation() + " " + e.code();
    }
  }

  private static void check(DocumentCollection<JsonNode> items, List<Model> models) {
    List<ObjectNode> everything = new ArrayList<>();
    for (int i = 0; i < PARTITIONS; i++) {
      assertThat(all(items.list(key(i)).map(item -> plain(item.value()))))
          .containsExactlyInAnyOrderElementsOf(models.get(i).items.values());
      everything.addAll(models.get(i).items.values());
    }
    assertThat(all(items.list(PartitionKey.of("p")).map(item -> plain(item.value()))))
        .containsExactlyInAnyOrderElementsOf(everything);
  }

  private static PartitionKey key(int partition) {
    return PartitionKey.of("p", partition);
  }

  private static String id(BatchOperation operation) {
    if (operation instanceof BatchOperation.Create create) {
      return ((JsonNode) create.document()).get("id").textValue();
    }
    if (operation instanceof BatchOperation.Upsert upsert) {
      return ((JsonNode) upsert.document()).get("id").textValue();
    }
    if (operation instanceof BatchOperation.Replace replace) {
      return ((JsonNode) replace.document()).get("id").textValue();
    }
    if (operation instanceof BatchOperation.Read read) {
      return read.id();
    }
    return operation instanceof BatchOperation.Delete delete
        ? delete.id()
        : ((BatchOperation.Patch) operation).id();
  }

  private static ObjectNode plain(JsonNode value) {
    ObjectNode copy = value.deepCopy();
    copy.remove(List.of("_ts", "_etag"));
    return copy;
  }

  private static TransactionalBatch batch(Random random, int partition) {
    TransactionalBatch batch = TransactionalBatch.of(key(partition));
    for (int i = 1 + random.nextInt(5); i > 0; i--) {
      String id = "i" + random.nextInt(IDS);
      ObjectNode item = item(random, partition, id);
      batch =
          switch (random.nextInt(8)) {
            case 0, 1 -> batch.create(item);
            case 2, 3 -> batch.upsert(item);
            case 4 -> batch.replace(item);
            case 5 -> batch.read(id);
            case 6 -> batch.delete(id);
            default ->
                batch.patch(
                    id,
                    patch(random, id),
                    random.nextBoolean()
                        ? PatchOptions.DEFAULT
                        : PatchOptions.filter("FROM x WHERE x.v >= 2"));
          };
    }
    return batch;
  }

  private static ObjectNode item(Random random, int partition, String id) {
    ObjectNode item = JsonNodeFactory.instance.objectNode().put("id", id).put("q", partition);
    item.putObject("p").put("a", "p");
    item.put("u", unique(random, id));
    return random.nextInt(4) == 0 ? item : item.put("v", random.nextInt(5));
  }

  private static String unique(Random random, String id) {
    return random.nextInt(3) == 0 ? "shared" + random.nextInt(2) : "of " + id;
  }

  private static List<PatchOperation> patch(Random random, String id) {
    List<PatchOperation> steps =
        List.of(
            new PatchOperation.Increment("/v", 1 + random.nextInt(3)),
            new PatchOperation.Move("/v", "/w"),
            new PatchOperation.Move("/w", "/v"),
            new PatchOperation.Set("/u", unique(random, id)));
    List<PatchOperation> chosen = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      chosen.add(steps.get(random.nextInt(steps.size())));
    }
    return chosen;
  }
}
