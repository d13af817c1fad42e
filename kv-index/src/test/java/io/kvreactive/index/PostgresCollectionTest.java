package io.kvreactive.index;

import static io.kvreactive.index.testkit.TestStore.of;
import static io.kvreactive.index.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.KvLimits;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.testkit.TestPostgres;
import io.kvreactive.index.testkit.TestStore;
import io.kvreactive.postgres.PostgresOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/**
 * The contracts of collections on a PostgreSQL server, each test in a schema of its own. Tests of
 * definitions, documents and their index entries, which are the same on every engine, run in the
 * long form only.
 */
class PostgresCollectionTest {
  private static TestStore store() {
    return TestStore.of(TestPostgres.options());
  }

  /** Two stores over two engines, as two processes have them. */
  @Test
  void sharesTheWorkOfAGroupBetweenTwoEngines() {
    PostgresOptions shared = TestPostgres.options();
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
  class Items extends CollectionContract {
    @Override
    TestStore open() {
      return store();
    }

    @Override
    @Test
    @Tag("long")
    void storesTypesOfVertx() {
      super.storesTypesOfVertx();
    }

    @Override
    @Test
    @Tag("long")
    void rejectsObjectsThatAreNoDataWithTheirPlace() {
      super.rejectsObjectsThatAreNoDataWithTheirPlace();
    }

    @Override
    @Test
    @Tag("long")
    void storesDocumentsOfManyTypes() {
      super.storesDocumentsOfManyTypes();
    }

    @Override
    @Test
    @Tag("long")
    void keepsAllDigitsOfNumbers() {
      super.keepsAllDigitsOfNumbers();
    }

    @Override
    @Test
    @Tag("long")
    void keepsDoublesAsDoubles() {
      super.keepsDoublesAsDoubles();
    }

    @Override
    @Test
    @Tag("long")
    void rejectsInvalidDocuments() {
      super.rejectsInvalidDocuments();
    }

    @Override
    @Test
    @Tag("long")
    void rejectsNumbersBeyondDoubles() {
      super.rejectsNumbersBeyondDoubles();
    }

    @Override
    @Test
    @Tag("long")
    void changesPartsByPatch() {
      super.changesPartsByPatch();
    }

    @Override
    @Test
    @Tag("long")
    void rejectsInvalidPatchesWithoutChanges() {
      super.rejectsInvalidPatchesWithoutChanges();
    }

    @Override
    @Test
    @Tag("long")
    void excludesItemsFromIndexesByDirective() {
      super.excludesItemsFromIndexesByDirective();
    }

    @Override
    @Test
    @Tag("long")
    void indexesOnlyIncludedItemsWithoutAutomatic() {
      super.indexesOnlyIncludedItemsWithoutAutomatic();
    }

    @Override
    @Test
    @Tag("long")
    void limitsTheNumberOfPathsInSizes() {
      super.limitsTheNumberOfPathsInSizes();
    }
  }

  @Nested
  class Transformations extends TransformationContract {
    @Override
    TestStore open() {
      return store();
    }
  }

  @Nested
  class Lazy extends LazyContract {
    @Override
    TestStore open() {
      return store();
    }

    @Override
    @Test
    @Tag("long")
    void requiresAnOption() {
      super.requiresAnOption();
    }

    @Override
    @Test
    @Tag("long")
    void keepsTheModeInTheNormalForm() {
      super.keepsTheModeInTheNormalForm();
    }

    @Override
    @Test
    @Tag("long")
    void rejectsAnItemWithTooManyEntriesImmediately() {
      super.rejectsAnItemWithTooManyEntriesImmediately();
    }
  }

  @Nested
  class Changes extends ChangeFeedContract {
    @Override
    TestStore open() {
      return store();
    }
  }

  @Nested
  class Processors extends ChangeProcessorContract {
    @Override
    TestStore open() {
      return store();
    }
  }

  @Nested
  class Batches extends BatchContract {
    @Override
    TestStore open() {
      return store();
    }
  }

  @Nested
  class Deletions extends DeleteManyContract {
    @Override
    TestStore open() {
      return store();
    }
  }

  @Nested
  class Loads extends BulkLoadContract {
    @Override
    TestStore open() {
      return store();
    }

    @Override
    TestStore open(KvLimits limits) {
      return TestStore.of(TestPostgres.options().withLimits(limits));
    }
  }

  @Nested
  class Partitions extends PartitionContract {
    @Override
    TestStore open() {
      return store();
    }

    @Override
    @Test
    @Tag("long")
    void rejectsTheContinuationOfAnotherPartition() {
      super.rejectsTheContinuationOfAnotherPartition();
    }

    @Override
    @Test
    @Tag("long")
    void explainsThePartition() {
      super.explainsThePartition();
    }

    @Override
    @Test
    @Tag("long")
    void rejectsAPartitionKeyWithoutPaths() {
      super.rejectsAPartitionKeyWithoutPaths();
    }

    @Override
    @Test
    @Tag("long")
    void needsNoIndexWithoutScans() {
      super.needsNoIndexWithoutScans();
    }
  }
}
