package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.KvLimits;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.testkit.TestStore;
import io.kvreactive.postgres.PostgresOptions;
import io.kvreactive.postgres.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/**
 * The contracts of collections on a PostgreSQL server, each test in a schema of its own: all in the
 * long form. The short form has those in which commits meet, and those of what the engine returns
 * or limits; documents, definitions and index entries are the same on every engine.
 */
class PostgresCollectionTest {
  private static TestStore store() {
    return TestStore.of(TestServer.options());
  }

  /** Two stores over two engines, as two processes have them. */
  @Test
  @Tag("long")
  void sharesTheWorkOfAGroupBetweenTwoEngines() {
    PostgresOptions shared = TestServer.options();
    Map<String, List<Integer>> handled = new ConcurrentHashMap<>(); // by engine
    try (TestStore one = TestStore.of(shared);
        TestStore two = TestStore.of(shared)) {
      DocumentCollection<JsonNode> first = items(DocumentStore.over(one.kv()));
      DocumentCollection<JsonNode> second = items(DocumentStore.over(two.kv()));
      ChangeProcessor local = member(first, handled, "one");
      orNull(local.start());
      ChangeProcessor other = member(second, handled, "two");
      orNull(other.start());
      TestStore.await(() -> ranges(local, local) == 4 && ranges(local, other) == 4);
      for (int v = 0; v < 100; v++) { // by both engines
        of((v % 2 == 0 ? first : second).upsert(item(v)));
      }
      TestStore.await(() -> count(handled) == 100);
      assertThat(handled.values()).allSatisfy(values -> assertThat(values).isNotEmpty());

      orNull(other.close());
      TestStore.await(() -> ranges(local, local) == 8);
      for (int v = 100; v < 150; v++) {
        of(second.upsert(item(v)));
      }
      TestStore.await(() -> count(handled) == 150);
      assertThat(handled.get("one"))
          .contains(IntStream.range(100, 150).boxed().toArray(Integer[]::new));
      orNull(local.close());
    }
  }

  private static DocumentCollection<JsonNode> items(DocumentStore store) {
    return store.collection(
        "c", JsonNode.class, CollectionDefinition.DEFAULT.withPartitionKey("/pk"));
  }

  private static JsonNode item(int v) {
    return JsonNodeFactory.instance.objectNode().put("id", "i" + v).put("pk", v % 30).put("v", v);
  }

  private static ChangeProcessor member(
      DocumentCollection<JsonNode> items, Map<String, List<Integer>> handled, String name) {
    List<Integer> own = handled.computeIfAbsent(name, key -> new CopyOnWriteArrayList<>());
    return items.changeProcessor(
        "g",
        ChangeProcessorOptions.DEFAULT
            .withMode(ChangeFeedOptions.Mode.ALL)
            .withSince(Versionstamp.ZERO)
            .withLeaseDuration(Duration.ofSeconds(3))
            .withMinBackoff(Duration.ofMillis(1))
            .withMaxBackoff(Duration.ofMillis(20)),
        commits -> {
          for (ItemChanges<JsonNode> commit : commits) {
            for (ItemChanges.Change<JsonNode> change : commit.changes()) {
              own.add(
                  ((ItemChanges.Change.Upsert<JsonNode>) change).item().value().path("v").asInt());
            }
          }
          return Mono.empty();
        });
  }

  private static long count(Map<String, List<Integer>> handled) {
    return handled.values().stream().flatMap(List::stream).distinct().count();
  }

  private static long ranges(ChangeProcessor asked, ChangeProcessor owner) {
    return of(asked.state()).stream().filter(range -> owner.id().equals(range.owner())).count();
  }

  @Nested
  @Tag("long")
  class Items extends CollectionContract {
    @Override
    TestStore open() {
      return store();
    }
  }

  @Nested
  @Tag("long")
  class Transformations extends TransformationContract {
    @Override
    TestStore open() {
      return store();
    }
  }

  @Nested
  @Tag("long")
  class Lazy extends LazyContract {
    @Override
    TestStore open() {
      return store();
    }
  }

  @Nested
  @Tag("long")
  class Changes extends ChangeFeedContract {
    @Override
    TestStore open() {
      return store();
    }
  }

  @Nested
  @Tag("long")
  class Processors extends ChangeProcessorContract {
    @Override
    TestStore open() {
      return store();
    }
  }

  @Nested
  @Tag("long")
  class Batches extends BatchContract {
    @Override
    TestStore open() {
      return store();
    }
  }

  @Nested
  @Tag("long")
  class Deletions extends DeleteManyContract {
    @Override
    TestStore open() {
      return store();
    }
  }

  @Nested
  @Tag("long")
  class Loads extends BulkLoadContract {
    @Override
    TestStore open() {
      return store();
    }

    @Override
    TestStore open(KvLimits limits) {
      return TestStore.of(TestServer.options().withLimits(limits));
    }
  }

  @Nested
  @Tag("long")
  class Partitions extends PartitionContract {
    @Override
    TestStore open() {
      return store();
    }
  }

  @Nested
  @Tag("short")
  class Some {
    private static <C> void run(C contract, Consumer<C> start, Consumer<C> test, Consumer<C> end) {
      start.accept(contract);
      try {
        test.accept(contract);
      } finally {
        end.accept(contract);
      }
    }

    private void items(Consumer<Items> test) {
      run(new Items(), Items::start, test, Items::end);
    }

    private void transformations(Consumer<Transformations> test) {
      run(new Transformations(), Transformations::start, test, Transformations::end);
    }

    private void lazy(Consumer<Lazy> test) {
      run(new Lazy(), Lazy::start, test, Lazy::end);
    }

    private void changes(Consumer<Changes> test) {
      run(new Changes(), opened -> {}, test, Changes::end);
    }

    private void batches(Consumer<Batches> test) {
      run(new Batches(), Batches::start, test, Batches::end);
    }

    @Test
    void serializeConditionalWrites() {
      items(Items::serializesConcurrentConditionalWrites);
    }

    @Test
    void allowOneWriteOfAUniqueValue() {
      items(Items::allowsOneOfConcurrentWritesOfAUniqueValue);
    }

    @Test
    void writeOnlyEntriesThatDiffer() {
      items(Items::writesOnlyEntriesThatDiffer);
    }

    @Test
    void buildIndexesDuringWrites() {
      transformations(Transformations::matchesAFreshBuildAfterWritesDuringABuild);
    }

    @Test
    void buildAnIndexByTwoWorkers() {
      transformations(Transformations::completesAChangeWithTwoWorkers);
    }

    @Test
    void clearADroppedCollection() {
      transformations(Transformations::dropsACollectionImmediatelyAndClearsItLater);
    }

    @Test
    void indexItemsWrittenDuringCatchUp() {
      lazy(Lazy::indexesItemsWrittenDuringCatchUp);
    }

    @Test
    void removeExpiredItems() {
      lazy(Lazy::removesExpiredItemsWhileIndexesLag);
    }

    @Test
    void emitPreviousVersionsAndDeletes() {
      changes(Changes::emitsAllVersionsWithPreviousOnesAndDeletes);
    }

    @Test
    void emitExpiriesSoon() {
      changes(Changes::tellsExpiriesFromDeletesSoonAfterTheExpiry);
    }

    @Test
    void keepTheChangesOfACommitTogether() {
      changes(Changes::keepsTheChangesOfACommitOnOnePage);
    }

    @Test
    void emitAnItemWrittenWhileAFeedBegins() {
      changes(Changes::emitsAnItemOnceIfItIsWrittenWhileTheFeedOfLatestVersionsBegins);
    }

    @Test
    void retryBatchesInConflict() {
      batches(Batches::retriesBatchesInConflict);
    }

    @Test
    void readABatchBesideWriters() {
      batches(Batches::readsAConsistentStateBesideWriters);
    }

    @Test
    void deleteTheItemsOfAQuery() {
      run(
          new Deletions(),
          Deletions::fill,
          Deletions::deletesTheItemsOfAQueryAndReportsProgress,
          Deletions::end);
    }

    @Test
    void loadBesideWriters() {
      run(new Loads(), opened -> {}, Loads::allowsConcurrentWrites, Loads::end);
    }

    @Test
    void deleteAPartitionThatOthersDeleteToo() {
      run(
          new Partitions(),
          Partitions::start,
          Partitions::deletesASmallPartitionThatOthersDeleteToo,
          Partitions::end);
    }
  }
}
