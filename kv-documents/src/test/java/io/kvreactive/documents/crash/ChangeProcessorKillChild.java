package io.kvreactive.documents.crash;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ChangeFeedOptions;
import io.kvreactive.documents.ChangeProcessor;
import io.kvreactive.documents.ChangeProcessorOptions;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.ItemChanges;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Writes items and handles their changes until the process is killed; prints both. */
final class ChangeProcessorKillChild {
  static final int PARTITIONS = 10;

  private ChangeProcessorKillChild() {}

  public static void main(String[] args) {
    Kv kv = Kv.open(Vertx.vertx(), KvOptions.at(Path.of(args[0]))).block();
    run(kv, Integer.parseInt(args[1]));
  }

  static void run(Kv kv, int from) {
    DocumentCollection<JsonNode> items = items(DocumentStore.over(kv));
    member(items, System.out::println).start().block();
    Flux.range(from, 1_000_000)
        .concatMap(v -> write(items, v))
        .doOnNext(System.out::println)
        .blockLast();
  }

  static DocumentCollection<JsonNode> items(DocumentStore index) {
    return index.collection(
        "c", JsonNode.class, CollectionDefinition.DEFAULT.withPartitionKey("/pk"));
  }

  /** Returns a member that passes on the line of each change before the batch is done. */
  static ChangeProcessor member(DocumentCollection<JsonNode> items, Consumer<String> handled) {
    return items.changeProcessor(
        "g",
        ChangeProcessorOptions.DEFAULT
            .withMode(ChangeFeedOptions.Mode.ALL)
            .withSince(Versionstamp.ZERO)
            .withBatchItems(10)
            .withLeaseDuration(Duration.ofMillis(500)),
        commits -> Mono.fromRunnable(() -> commits.forEach(commit -> pass(commit, handled))));
  }

  private static void pass(ItemChanges<JsonNode> commit, Consumer<String> handled) {
    for (ItemChanges.Change<JsonNode> change : commit.changes()) {
      if (change instanceof ItemChanges.Change.Upsert<JsonNode> upsert) {
        JsonNode document = upsert.item().value();
        handled.accept("handled " + document.path("pk") + " " + document.path("v"));
      }
    }
  }

  private static Mono<String> write(DocumentCollection<JsonNode> items, int v) {
    return items
        .upsert(
            JsonNodeFactory.instance
                .objectNode()
                .put("id", "i" + v)
                .put("pk", v % PARTITIONS)
                .put("v", v))
        .thenReturn("written " + v % PARTITIONS + " " + v);
  }
}
