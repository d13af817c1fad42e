package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.testkit.TestStore;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class MemoryChangeProcessorTest extends ChangeProcessorContract {
  @Override
  TestStore open() {
    return TestStore.at(null);
  }

  /** A page of changes also ends after 32 MiB of values that were searched. */
  @Test
  void countsTheLagBehindManyChangesOfOtherRanges() {
    TestStore store = open();
    DocumentStore index = DocumentStore.over(store.kv());
    DocumentCollection<JsonNode> items =
        index.collection("c", JsonNode.class, CollectionDefinition.DEFAULT.withPartitionKey("/pk"));
    ChangeProcessor member =
        items.changeProcessor(
            "g",
            ChangeProcessorOptions.DEFAULT
                .withMode(ChangeFeedOptions.Mode.ALL)
                .withSince(Versionstamp.ZERO),
            commits -> Mono.empty());
    orNull(member.start());
    orNull(member.close()); // the assignment of ranges is unchanged
    String text = "x".repeat(1 << 20);
    Flux.range(0, 36).concatMap(i -> items.upsert(item("other", i, text))).blockLast();
    Flux.range(36, 20).concatMap(i -> items.upsert(item("p" + i, i, ""))).blockLast();

    assertThat(of(member.state()))
        .noneMatch(ChangeProcessor.RangeState::hasMore)
        .extracting(ChangeProcessor.RangeState::lag)
        .satisfies(
            lags -> assertThat(lags.stream().mapToInt(Integer::intValue).sum()).isEqualTo(56));
    orNull(index.close());
    store.close();
  }

  private static JsonNode item(String partition, int id, String text) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("id", "i" + id)
        .put("pk", partition)
        .put("text", text);
  }
}
