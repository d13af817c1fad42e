package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Kv;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.testkit.HookedEngine;
import io.kvreactive.documents.testkit.TestStore;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/** Tests that feeds of items request commits only when their subscriber has demand. */
class ItemDemandTest {
  private final TestStore store = TestStore.at(null);
  private final HookedEngine engine = new HookedEngine(store.kv().engine());
  private final DocumentStore documents = // without the feed of the background work
      DocumentStore.over(
          of(Kv.open(store.vertx(), engine)), DocumentStoreOptions.DEFAULT.withBackground(false));
  private final DocumentCollection<ObjectNode> items =
      documents.collection("c", ObjectNode.class, CollectionDefinition.DEFAULT);

  /** The feeds of a collection. */
  enum Feed {
    CHANGES((items, since) -> items.changes(since)),
    ALL((items, since) -> items.changeFeed(ChangeFeedOptions.ALL.withSince(since))),
    LATEST((items, since) -> items.changeFeed(ChangeFeedOptions.LATEST.withSince(since)));

    private final BiFunction<
            DocumentCollection<ObjectNode>, Versionstamp, Flux<ItemChanges<ObjectNode>>>
        open;

    Feed(
        BiFunction<DocumentCollection<ObjectNode>, Versionstamp, Flux<ItemChanges<ObjectNode>>>
            open) {
      this.open = open;
    }
  }

  /** Collects changes, and requests nothing by itself. */
  private static final class Idle extends BaseSubscriber<ItemChanges<ObjectNode>> {
    private final List<ItemChanges<ObjectNode>> received = new CopyOnWriteArrayList<>();

    @Override
    protected void hookOnSubscribe(Subscription subscription) {}

    @Override
    protected void hookOnNext(ItemChanges<ObjectNode> changes) {
      received.add(changes);
    }
  }

  @AfterEach
  void end() {
    orNull(documents.close());
    store.close();
  }

  private void create(String id) {
    assertThat(of(items.create(JsonNodeFactory.instance.objectNode().put("id", id))).id())
        .isEqualTo(id);
  }

  @ParameterizedTest
  @EnumSource
  void requestsNoCommitsBeforeThereIsDemand(Feed feed) {
    requestsNothingWithoutDemand(feed, Runnable::run);
  }

  @ParameterizedTest
  @EnumSource
  void requestsNoCommitsBeforeThereIsDemandOnAContext(Feed feed) {
    var context = store.vertx().getOrCreateContext();
    requestsNothingWithoutDemand(feed, task -> context.runOnContext(unused -> task.run()));
  }

  private void requestsNothingWithoutDemand(Feed feed, Executor subscriber) {
    create("before");
    Idle idle = new Idle();
    Flux<ItemChanges<ObjectNode>> changes = feed.open.apply(items, Versionstamp.ZERO);
    subscriber.execute(() -> changes.subscribe(idle));
    TestStore.await(() -> engine.feeds.get() > 0);
    create("after"); // its answer comes after a hop to the worker of the feed
    assertThat(engine.requestedOfFeeds).hasValue(0);
    assertThat(idle.received).isEmpty();

    idle.request(1);
    TestStore.await(() -> idle.received.size() == 1);
    assertThat(engine.requestedOfFeeds.get()).isPositive();
    idle.request(Long.MAX_VALUE);
    TestStore.await(
        () ->
            idle.received.stream()
                .flatMap(each -> each.changes().stream())
                .anyMatch(change -> change.id().equals("after")));
    idle.cancel();
  }
}
