package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.testkit.TestStore;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class MemoryChangeFeedTest extends ChangeFeedContract {
  @Override
  TestStore open() {
    return TestStore.withOldValues();
  }

  @Test
  void failsWithCompactedIfTheChangesAreNoLongerKept() {
    try (TestStore small = TestStore.withoutHistory()) {
      DocumentStore other = DocumentStore.over(small.kv());
      DocumentCollection<JsonNode> items = documents(other);
      Versionstamp first = of(items.upsert(item("first", ""))).etag();
      String text = "x".repeat(50_000);
      Flux.range(0, 400).flatMap(i -> items.upsert(item("i" + i % 20, text)), 8).blockLast();
      ChangeFeedOptions all = ChangeFeedOptions.ALL.withSince(first);
      TestStore.await(() -> isCompacted(items.changePage(all, 10))); // removed in the background
      for (ChangeFeedOptions options :
          List.of(
              all,
              all.withMode(ChangeFeedOptions.Mode.LATEST),
              all.withPartitionKey(PartitionKey.of("p")))) {
        assertThat(isCompacted(items.changePage(options, 10))).isTrue();
        assertThat(isCompacted(items.changeFeed(options))).isTrue();
      }

      SqlQuery query = SqlQuery.of("SELECT * FROM c");
      Versionstamp read = of(items.page(query, JsonNode.class)).snapshot();
      of(items.upsert(item("next", "")));
      assertThat(of(items.changePage(all.withSince(read), 10)).commits())
          .singleElement()
          .satisfies(commit -> assertThat(commit.changes().get(0).id()).isEqualTo("next"));
      orNull(other.close());
    }
  }

  private static DocumentCollection<JsonNode> documents(DocumentStore index) {
    return index.collection(
        "c",
        JsonNode.class,
        CollectionDefinition.DEFAULT
            .withPartitionKey("/pk")
            .withIndexingPolicy(IndexingPolicy.DEFAULT.withIndexingMode(IndexingMode.NONE)));
  }

  private static JsonNode item(String id, String text) {
    return JsonNodeFactory.instance.objectNode().put("id", id).put("pk", "p").put("text", text);
  }

  /** Returns true if a publisher fails with COMPACTED and the oldest version that is kept. */
  private static boolean isCompacted(Publisher<?> changes) {
    return of(
        Flux.from(changes)
            .next()
            .map(found -> false)
            .onErrorResume(
                e -> KvError.is(e, KvErrorCode.COMPACTED),
                e -> Mono.just(((KvException) e).oldest() != null)));
  }
}
