package io.kvreactive.documents;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Versionstamp;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/** Handles the changes of a collection of a server until the process is killed; prints them. */
final class RemoteProcessorKillChild {
  static final int PARTITIONS = 10;

  private RemoteProcessorKillChild() {}

  public static void main(String[] args) throws InterruptedException {
    DocumentStore store =
        DocumentStore.connect(Vertx.vertx(), args[0], DocumentClientOptions.DEFAULT).block();
    member(store, System.out::println).start().block();
    Thread.currentThread().join();
  }

  static DocumentCollection<JsonNode> items(DocumentStore store) {
    return store.collection(
        "c", JsonNode.class, CollectionDefinition.DEFAULT.withPartitionKey("/pk"));
  }

  /** Returns a member that passes on the line of each change before the batch is done. */
  static ChangeProcessor member(DocumentStore store, Consumer<String> handled) {
    return items(store)
        .changeProcessor(
            "g",
            ChangeProcessorOptions.DEFAULT
                .withMode(ChangeFeedOptions.Mode.ALL)
                .withSince(Versionstamp.ZERO)
                .withBatchItems(5)
                .withLeaseDuration(Duration.ofSeconds(1)),
            commits -> Mono.fromRunnable(() -> pass(commits, handled)));
  }

  private static void pass(List<ItemChanges<JsonNode>> commits, Consumer<String> handled) {
    for (ItemChanges<JsonNode> commit : commits) {
      for (ItemChanges.Change<JsonNode> change : commit.changes()) {
        JsonNode document = ((ItemChanges.Change.Upsert<JsonNode>) change).item().value();
        handled.accept(document.path("pk") + " " + document.path("v"));
      }
    }
  }
}
