package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.Kv;
import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ItemChanges.Change;
import io.kvreactive.documents.testkit.HookedEngine;
import io.kvreactive.documents.testkit.TestStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The contract of groups that process the changes of a collection. */
abstract class ChangeProcessorContract {
  private static final ChangeProcessorOptions OPTIONS =
      ChangeProcessorOptions.DEFAULT
          .withMode(ChangeFeedOptions.Mode.ALL)
          .withSince(Versionstamp.ZERO)
          .withLeaseDuration(Duration.ofMillis(800))
          .withMinBackoff(Duration.ofMillis(1))
          .withMaxBackoff(Duration.ofMillis(20));

  private final TestStore store = open();
  private final DocumentStore index = collections(store);
  private final DocumentCollection<JsonNode> items =
      index.collection("c", JsonNode.class, CollectionDefinition.DEFAULT.withPartitionKey("/pk"));
  private final List<ChangeProcessor> members = new ArrayList<>();
  private final Map<String, List<Integer>> handled = new ConcurrentHashMap<>(); // by partition

  abstract TestStore open();

  /** Returns the collections of the store, which the test closes before the store. */
  DocumentStore collections(TestStore opened) {
    return DocumentStore.over(opened.kv());
  }

  @AfterEach
  void end() {
    members.forEach(member -> orNull(member.close()));
    orNull(index.close());
    store.close();
  }

  private void put(int partition, int v) {
    of(
        items.upsert(
            JsonNodeFactory.instance
                .objectNode()
                .put("id", "i" + v)
                .put("pk", "p" + partition)
                .put("v", v)));
  }

  @Test
  void releasesOtherRangesAlthoughTheReleaseOfOneFails() {
    HookedEngine engine = new HookedEngine(store.kv().engine());
    DocumentStore other = DocumentStore.over(of(Kv.open(store.vertx(), engine)));
    put(1, 1); // creates the collection
    ChangeProcessor member =
        other
            .collection("c", JsonNode.class)
            .changeProcessor(
                "g",
                OPTIONS.withRanges(16).withLeaseDuration(Duration.ofMinutes(10)),
                commits -> Mono.empty());
    orNull(member.start());
    TestStore.await(
        () -> of(member.state()).stream().allMatch(range -> member.id().equals(range.owner())));
    engine.rejections.set(1);
    orNull(member.close());

    assertThat(of(member.state())).filteredOn(range -> range.owner() != null).hasSizeLessThan(2);
    orNull(other.close());
  }

  @Test
  void namesAnInvalidGroupAsOne() {
    assertThatThrownBy(() -> items.changeGroup("a/b"))
        .hasMessage(
            "INVALID_ARGUMENT: group: \"a/b\" (expected: 1 to 255 letters, digits, _, - or .)");
  }

  private Publisher<?> record(List<ItemChanges<JsonNode>> commits) {
    for (ItemChanges<JsonNode> commit : commits) {
      for (Change<JsonNode> change : commit.changes()) {
        JsonNode document = ((Change.Upsert<JsonNode>) change).item().value();
        handled
            .computeIfAbsent(document.path("pk").asText(), key -> new CopyOnWriteArrayList<>())
            .add(document.path("v").asInt());
      }
    }
    return Mono.empty();
  }

  private ChangeProcessor join(Function<List<ItemChanges<JsonNode>>, Publisher<?>> handler) {
    ChangeProcessor member = items.changeProcessor("g", OPTIONS, handler);
    members.add(member);
    orNull(member.start());
    return member;
  }

  private int count() {
    return handled.values().stream().mapToInt(List::size).sum();
  }

  private List<String> owners() {
    return of(members.get(0).state()).stream()
        .map(ChangeProcessor.RangeState::owner)
        .filter(Objects::nonNull)
        .toList();
  }

  private int lag() {
    return of(members.get(0).state()).stream().mapToInt(ChangeProcessor.RangeState::lag).sum();
  }

  /** Every value of each partition was handled, and in order apart from repetitions. */
  private void assertOrder(int partitions, int values) {
    for (int partition = 0; partition < partitions; partition++) {
      List<Integer> seen = handled.get("p" + partition);
      List<Integer> firsts = seen.stream().distinct().toList();
      List<Integer> expected = new ArrayList<>();
      for (int v = partition; v < values; v += partitions) {
        expected.add(v);
      }
      assertThat(firsts).as("p" + partition).isEqualTo(expected);
    }
  }

  @Test
  void handlesEachPartitionInOrder() {
    for (int v = 0; v < 100; v++) {
      put(v % 10, v);
    }
    join(this::record);
    for (int v = 100; v < 200; v++) {
      put(v % 10, v);
    }
    TestStore.await(() -> count() == 200);
    assertOrder(10, 200);
    TestStore.await(() -> lag() == 0);
  }

  @Test
  void continuesWhereAClosedMemberStopped() {
    put(0, 0);
    ChangeProcessor first = join(this::record);
    TestStore.await(() -> count() == 1);
    orNull(first.close());
    orNull(first.ended());
    assertThat(owners()).isEmpty();
    put(0, 1);
    join(this::record);
    TestStore.await(() -> count() == 2);
    assertThat(handled.get("p0")).containsExactly(0, 1);
  }

  @Test
  void sharesTheWorkWithMembersThatJoinAndLeave() {
    ChangeProcessor first = join(this::record);
    assertThat(owners()).hasSize(8).containsOnly(first.id());
    ChangeProcessor second = join(this::record);
    TestStore.await(() -> owners().stream().filter(second.id()::equals).count() == 4);
    assertThat(owners().stream().filter(first.id()::equals)).hasSizeLessThanOrEqualTo(4);
    for (int v = 0; v < 100; v++) {
      put(v % 10, v);
    }
    TestStore.await(() -> count() == 100);
    orNull(second.close());
    TestStore.await(() -> owners().equals(Collections.nCopies(8, first.id())));
    for (int v = 100; v < 200; v++) {
      put(v % 10, v);
    }
    TestStore.await(() -> count() == 200);
    assertOrder(10, 200);
  }

  @Test
  void handlesABatchAgainUntilItSucceeds() {
    AtomicInteger failures = new AtomicInteger();
    put(0, 0);
    join(
        commits ->
            failures.incrementAndGet() < 4
                ? Mono.error(new IllegalStateException("fails"))
                : Mono.from(record(commits)));
    TestStore.await(() -> count() == 1);
    assertThat(failures).hasValue(4);
    put(0, 1);
    TestStore.await(() -> count() == 2);
  }

  @Test
  void reportsTheLagOfRangesWhoseHandlerFails() {
    AtomicBoolean fails = new AtomicBoolean(true);
    join(commits -> fails.get() ? Mono.error(new IllegalStateException("fails")) : record(commits));
    for (int v = 0; v < 20; v++) {
      put(v % 10, v);
    }
    assertThat(lag()).isEqualTo(20);
    fails.set(false);
    TestStore.await(() -> lag() == 0);
    assertThat(count()).isEqualTo(20);
  }

  @Test
  void endsWhenTheCollectionIsDropped() {
    put(0, 0);
    ChangeProcessor member = join(this::record);
    of(index.drop("c"));
    assertThatThrownBy(() -> member.ended().block(Duration.ofSeconds(60)))
        .satisfies(e -> assertThat(KvError.is(e, DocumentErrorCode.COLLECTION_NOT_FOUND)).isTrue());
  }

  @Test
  void createsTheCollectionAndSharesAllWorkOfManyMembers() {
    for (int i = 0; i < 3; i++) {
      join(this::record);
    }
    TestStore.await(() -> new HashSet<>(owners()).size() == 3 && owners().size() == 8);
    Flux.range(0, 300).doOnNext(v -> put(v % 10, v)).blockLast();
    TestStore.await(() -> count() >= 300);
    assertOrder(10, 300);
  }

  @Test
  void rejectsInvalidNamesAndOptions() {
    assertThatThrownBy(() -> items.changeProcessor("a/b", OPTIONS, this::record))
        .satisfies(e -> assertThat(((KvError) e).code().name()).isEqualTo("INVALID_ARGUMENT"));
    assertThatThrownBy(() -> OPTIONS.withRanges(0))
        .satisfies(e -> assertThat(KvError.is(e, KvErrorCode.INVALID_ARGUMENT)).isTrue());
  }
}
