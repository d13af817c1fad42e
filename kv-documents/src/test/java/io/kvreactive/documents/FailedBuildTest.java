package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.testkit.TestStore;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Builds an index in a collection with an item that exceeds the maximum number of entries. */
class FailedBuildTest {
  private static final int TOO_MANY = 40_001;

  private static CollectionDefinition excluding(String... paths) {
    return CollectionDefinition.DEFAULT.withIndexingPolicy(IndexingPolicy.includeRoot(paths));
  }

  private static ObjectNode item(String id, int numbers) {
    ObjectNode item = JsonNodeFactory.instance.objectNode().put("id", id).put("a", 1);
    ArrayNode big = item.putArray("big");
    for (int i = 0; i < numbers; i++) {
      big.add(i);
    }
    return item;
  }

  @Test
  void reportsSizesAfterAFailedBuild() {
    try (TestStore store = TestStore.at(null)) {
      DocumentStore index = DocumentStore.over(store.kv());
      DocumentCollection<JsonNode> items =
          index.collection("c", JsonNode.class, excluding("/big/*"));
      of(items.create(item("wide", TOO_MANY).put("alone", true)));
      orNull(Flux.range(0, 300).flatMap(i -> items.create(item("i" + i, 1)), 32).then());
      TransformationProgress end =
          of(index.collection("c", JsonNode.class).replaceDefinition(excluding()).last());
      assertThat(end.jobs())
          .extracting(TransformationProgress.Job::state)
          .contains(IndexState.FAILED);

      CollectionSizes sizes = of(items.sizes());

      assertThat(sizes.items()).isEqualTo(301);
      assertThat(sizes.indexes())
          .filteredOn(size -> size.index().equals("range:/a/?"))
          .extracting(CollectionSizes.IndexSize::entries)
          .containsExactly(301L);
      // a path of no other item, reported under the name of the previous index
      assertThat(sizes.indexes())
          .extracting(CollectionSizes.IndexSize::index)
          .contains("range:/alone/?");
      assertThat(sizes.reclaimableBytes()).isZero();
      orNull(index.close());
    }
  }
}
