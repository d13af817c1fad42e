package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.testkit.TestStore;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** Members of a group that are connected to a server. */
class RemoteChangeProcessorTest extends ChangeProcessorContract {
  private static final ChangeProcessorOptions OPTIONS =
      ChangeProcessorOptions.DEFAULT
          .withSince(Versionstamp.ZERO)
          .withLeaseDuration(Duration.ofMillis(800))
          .withMinBackoff(Duration.ofMillis(1))
          .withMaxBackoff(Duration.ofMillis(20));

  private TestStore store;
  private DocumentServer server; // closed with the Vert.x of the store
  private DocumentStore remote;
  private DocumentCollection<JsonNode> connected;
  private final Set<Integer> handled = ConcurrentHashMap.newKeySet();

  @Override
  TestStore open() {
    return TestStore.at(null);
  }

  @Override
  DocumentStore collections(TestStore opened) {
    store = opened;
    server = new DocumentServer(opened);
    remote = server.connect();
    connected =
        remote.collection(
            "r", JsonNode.class, CollectionDefinition.DEFAULT.withPartitionKey("/pk"));
    return remote;
  }

  private void put(int v) {
    put(connected, v);
  }

  private static void put(DocumentCollection<JsonNode> items, int v) {
    of(
        items.upsert(
            JsonNodeFactory.instance.objectNode().put("id", "i" + v).put("pk", v).put("v", v)));
  }

  private Publisher<?> handle(List<ItemChanges<JsonNode>> commits) {
    commits.forEach(
        commit ->
            commit
                .changes()
                .forEach(
                    change ->
                        handled.add(
                            ((ItemChanges.Change.Upsert<JsonNode>) change)
                                .item()
                                .value()
                                .path("v")
                                .asInt())));
    return Mono.empty();
  }

  private static Set<String> owners(ChangeProcessor member) {
    return of(member.state()).stream()
        .map(range -> String.valueOf(range.owner()))
        .collect(Collectors.toSet());
  }

  @Test
  void sharesTheWorkOfAnEmbeddedMember() {
    Function<List<ItemChanges<JsonNode>>, Publisher<?>> handler = this::handle;
    put(0); // creates the collection
    DocumentStore embedded = DocumentStore.over(store.kv());
    ChangeProcessor local =
        embedded.collection("r", JsonNode.class).changeProcessor("g", OPTIONS, handler);
    ChangeProcessor far = connected.changeProcessor("g", OPTIONS, handler);
    orNull(local.start());
    orNull(far.start());
    TestStore.await(() -> owners(far).equals(Set.of(local.id(), far.id())));
    for (int v = 1; v < 100; v++) {
      put(v);
    }
    TestStore.await(() -> handled.size() == 100);
    orNull(local.close());
    TestStore.await(() -> owners(far).equals(Set.of(far.id())));
    put(100);
    TestStore.await(() -> handled.size() == 101);
    orNull(far.close());
    assertThat(owners(local)).containsExactly("null");
    orNull(embedded.close());
  }

  @Test
  void continuesWhenTheServerIsBack() {
    ChangeProcessor member = connected.changeProcessor("g", OPTIONS, this::handle);
    orNull(member.start());
    put(1);
    TestStore.await(() -> handled.contains(1));
    server.stop();
    server.start();
    // not by the client, whose connection may have ended unnoticed: such a write is not repeated
    put(DocumentStore.over(store.kv()).collection("r", JsonNode.class), 2);
    TestStore.await(() -> handled.contains(2));
    orNull(member.close());
  }

  @Test
  void replacesALeaseOfTheNamedVersionOnly() {
    put(0);
    ChangeGroup<JsonNode> group = connected.changeGroup("g");
    assertThat(of(group.leases())).isEmpty();
    List<ChangeGroup.Lease> leases = of(group.create(3, Versionstamp.ZERO));
    assertThat(leases).extracting(ChangeGroup.Lease::range).containsExactly(0, 1, 2);
    assertThat(of(group.create(5, null))).isEqualTo(leases);
    ChangeGroup.Lease free = leases.get(1);
    ChangeGroup.Lease mine =
        new ChangeGroup.Lease(1, free.versionstamp(), "me", "you", free.continuation());
    ChangeGroup.Lease stored = of(group.replace(mine));
    assertThat(orNull(group.replace(mine))).isNull();
    assertThat(stored.owner()).isEqualTo("me");
    assertThat(of(group.leases()).get(1)).isEqualTo(stored);
    assertThat(
            of(DocumentStore.over(store.kv())
                    .collection("r", JsonNode.class)
                    .changeGroup("g")
                    .leases())
                .get(1))
        .isEqualTo(stored);
    ChangeGroup.Lease absent =
        new ChangeGroup.Lease(7, free.versionstamp(), "me", null, free.continuation());
    assertThat(orNull(group.replace(absent))).isNull();
  }

  @Test
  void readsTheChangesOfARangeByPagesAndStreams() {
    for (int v = 0; v < 60; v++) {
      put(v);
    }
    for (int range = 0; range < 4; range++) {
      ChangeFeedOptions options =
          new ChangeFeedOptions(
              ChangeFeedOptions.Mode.ALL, Versionstamp.ZERO, null, new FeedRange(range, 4));
      List<ItemChanges<JsonNode>> page = of(connected.changePage(options, 1000)).commits();
      page.forEach(commit -> handle(List.of(commit)));
      assertThat(
              connected
                  .changeFeed(options)
                  .filter(commit -> !commit.isBookmark())
                  .take(page.size())
                  .collectList()
                  .block(Duration.ofSeconds(60)))
          .isEqualTo(page);
    }
    assertThat(handled).hasSize(60);
    assertThatThrownBy(() -> FeedRange.parse("4/4"))
        .satisfies(e -> assertThat(KvError.is(e, KvErrorCode.INVALID_ARGUMENT)).isTrue());
  }

  @Test
  void endsWhenTheClientIsClosed() {
    DocumentStore other = server.connect();
    put(0);
    ChangeProcessor member =
        other.collection("r", JsonNode.class).changeProcessor("g", OPTIONS, this::handle);
    orNull(member.start());
    orNull(other.close());
    assertThatThrownBy(() -> member.ended().block(Duration.ofSeconds(60)))
        .satisfies(e -> assertThat(KvError.is(e, KvErrorCode.CLOSED)).isTrue());
  }
}
