package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Kv;
import io.kvreactive.LoadOptions;
import io.kvreactive.documents.testkit.HookedEngine;
import io.kvreactive.documents.testkit.ManualClock;
import io.kvreactive.documents.testkit.TestStore;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** Tests of the number of reads and commits that writes take. */
class WriteCostsTest {
  private static final PartitionKey ONE = PartitionKey.of(1);

  private final TestStore store = TestStore.at(null);
  private final HookedEngine engine = new HookedEngine(store.kv().engine());
  private final ManualClock clock = new ManualClock();
  private final DocumentStore index =
      DocumentStore.over(
          of(Kv.open(store.vertx(), engine)),
          DocumentStoreOptions.DEFAULT.withClock(clock).withAllowLazy(true).withBackground(false));
  private final DocumentCollection<JsonNode> items = index.collection("c", JsonNode.class);

  @AfterEach
  void end() {
    orNull(index.close());
    store.close();
  }

  private static ObjectNode item(String id, int unique) {
    return JsonNodeFactory.instance.objectNode().put("id", id).put("pk", 1).put("u", unique);
  }

  private void assertCost(int reads, int commits, Publisher<?> write) {
    engine.reads.set(0);
    engine.commits.set(0);
    Flux.from(write).onErrorComplete(DocumentException.class).blockLast();
    assertThat(engine.reads + " reads, " + engine.commits + " commits")
        .isEqualTo(reads + " reads, " + commits + " commits");
  }

  private static TransactionalBatch batch() {
    return TransactionalBatch.of(ONE);
  }

  @ParameterizedTest
  @EnumSource(names = {"CONSISTENT", "LAZY"})
  void readsOnlyTheItemsToDecideOn(IndexingMode mode) {
    of(
        index.create(
            "c",
            CollectionDefinition.DEFAULT
                .withPartitionKey("/pk")
                .withDefaultTtl(10)
                .withUniqueKeys(UniqueKey.of("/u"))
                .withIndexingPolicy(IndexingPolicy.DEFAULT.withIndexingMode(mode))));
    of(items.create(item("a", 1))); // reserves document ids

    assertCost(0, 1, items.create(item("b", 2)));
    assertCost(2, 1, items.create(item("b", 3))); // the id is taken
    assertCost(2, 1, items.create(item("c", 2))); // the unique value is taken
    assertCost(1, 1, items.put(item("d", 4), WriteOptions.DEFAULT));
    assertCost(2, 1, items.put(item("b", 5), WriteOptions.DEFAULT));
    assertCost(2, 1, items.replace(item("b", 6), WriteOptions.DEFAULT));
    PatchOperation patch = new PatchOperation.Set("/x", 1);
    assertCost(2, 1, items.patch("b", ONE, List.of(patch), PatchOptions.DEFAULT));
    assertCost(1, 0, items.delete("none", ONE, WriteOptions.DEFAULT));
    assertCost(2, 1, items.delete("d", ONE, WriteOptions.DEFAULT));

    assertCost(1, 1, items.execute(batch().create(item("e", 7)).create(item("f", 8))));
    assertCost(2, 1, items.execute(batch().read("a").upsert(item("b", 9)).create(item("g", 10))));
    assertCost(2, 0, items.execute(batch().read("a").read("b")));
    assertCost(3, 1, items.execute(batch().create(item("h", 9)))); // the unique value is taken

    Flux<ObjectNode> some = Flux.just(item("a", 11), item("i", 12), item("j", 13));
    assertCost(3, 1, items.load(some, LoadOptions.DEFAULT));

    clock.advance(10);
    assertCost(3, 2, items.create(item("k", 9))); // of an expired item
    assertCost(2, 1, items.put(item("a", 14), WriteOptions.DEFAULT)); // has expired itself
    assertCost(4, 2, items.execute(batch().create(item("l", 12)))); // of an expired item
    assertCost(6, 1, items.deletePartition(ONE));
  }
}
