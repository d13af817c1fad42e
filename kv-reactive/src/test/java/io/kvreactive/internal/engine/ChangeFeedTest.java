package io.kvreactive.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.StoreOptions;
import io.kvreactive.internal.store.log.LogRetention;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.Mutation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;

/** Scheduling and output of feeds, on threads that the test controls. */
class ChangeFeedTest {
  @TempDir Path directory;

  private final Deque<Runnable> reads = new ConcurrentLinkedDeque<>(); // timers add
  private final TimerThread timers = new TimerThread("test", System::currentTimeMillis);
  private Store store;
  private FeedHub hub;
  private long steps;

  private void open(boolean syncEveryCommit) {
    StoreOptions options =
        StoreOptions.of(directory, syncEveryCommit, 1 << 20)
            .withChanges(new LogRetention(1 << 20, Long.MAX_VALUE), false);
    store = Store.open(options, () -> {});
    hub = new FeedHub(timers, store.clock()::millis, store::horizon, store.visible());
  }

  @AfterEach
  void close() throws Exception {
    timers.close();
    store.close();
  }

  private static byte[] key(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void set(String... keys) {
    for (String key : keys) {
      KvValue value = new KvValue(KvValue.Encoding.BYTES, new byte[200]);
      var unused = store.stage(Commit.of(new Mutation.Set(key(key), value)));
    }
    hub.published(store.publish());
  }

  private void read() {
    while (!reads.isEmpty()) {
      steps++;
      reads.remove().run();
    }
  }

  private final class Follower extends BaseSubscriber<CommittedChanges> {
    final List<Long> versions = new ArrayList<>();
    final List<CommittedChanges> told;
    final ChangeFeed feed;

    Follower(String start, String end, Versionstamp since) {
      this(key(start), key(end), since, new ArrayList<>());
    }

    Follower(byte[] start, byte[] end, Versionstamp since, List<CommittedChanges> told) {
      this(start, end, since, told, TimeUnit.HOURS.toMillis(1));
    }

    Follower(
        byte[] start,
        byte[] end,
        Versionstamp since,
        List<CommittedChanges> told,
        long bookmarkMillis) {
      this.told = told;
      long from = since == null ? store.visible() : since.version();
      var request = new ChangesRequest(start, end, since, bookmarkMillis, false);
      feed = new ChangeFeed(this, request, store, store.changes(from), reads::add, hub);
      hub.add(feed);
      feed.subscribe();
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {}

    @Override
    protected void hookOnNext(CommittedChanges commit) {
      versions.add(commit.versionstamp().version());
      told.add(commit);
    }
  }

  @Test
  void neverRunsAThousandUntouchedFeeds() {
    open(true);
    List<Follower> idle = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      Follower follower = new Follower("idle" + i, "idle" + i + "~", null);
      follower.request(Long.MAX_VALUE);
      idle.add(follower);
    }
    Follower busy = new Follower("busy", "busy~", null);
    busy.request(Long.MAX_VALUE);
    read();
    steps = 0;
    for (int i = 0; i < 300; i++) {
      String[] batch = new String[100];
      java.util.Arrays.setAll(batch, n -> "busy" + n);
      set(batch);
      read();
    }
    assertThat(busy.versions).hasSize(30_001);
    assertThat(steps).isLessThan(1000);

    set("idle7");
    read();
    assertThat(idle.get(7).versions).containsExactly(0L, 30_001L);
    assertThat(idle.get(8).versions).containsExactly(0L);
  }

  @Test
  void neverRunsAFeedWithoutDemand() {
    open(true);
    Follower follower = new Follower("a", "b", Versionstamp.ZERO);
    for (int i = 0; i < 100; i++) {
      set("a");
    }
    assertThat(reads).isEmpty();
    follower.request(3);
    read();
    assertThat(follower.versions).containsExactly(1L, 2L, 3L);
    set("a");
    assertThat(reads).isEmpty();
  }

  @Test
  void resumesACaughtUpFeedAtTheCommitThatTouchesIt() {
    open(true);
    Follower follower = new Follower("a", "b", null);
    follower.request(1);
    read();
    assertThat(follower.versions).containsExactly(0L);
    for (int i = 0; i < 50; i++) {
      set("other");
    }
    set("a");
    set("a");
    follower.request(Long.MAX_VALUE);
    read();
    assertThat(follower.versions).containsExactly(0L, 51L, 52L);
  }

  @Test
  void emitsCommitsOnlyWhenDurable() {
    open(false);
    Follower follower = new Follower("a", "b", Versionstamp.ZERO);
    follower.request(Long.MAX_VALUE);
    set("a");
    set("a");
    read();
    assertThat(follower.versions).isEmpty();
    set("a");
    read();
    assertThat(follower.versions).isEmpty();

    store.syncLog();
    hub.horizonAdvanced();
    read();
    assertThat(follower.versions).containsExactly(1L, 2L, 3L);
    set("a", "a");
    read();
    assertThat(follower.versions).hasSize(3);
    store.syncLog();
    hub.horizonAdvanced();
    read();
    assertThat(follower.versions).containsExactly(1L, 2L, 3L, 4L, 5L);
  }

  @Test
  void emitsTheFirstBookmarkWhenDurable() {
    open(false);
    set("other");
    Follower follower = new Follower("a", "b", null);
    follower.request(Long.MAX_VALUE);
    read();
    assertThat(follower.versions).isEmpty();
    store.syncLog();
    hub.horizonAdvanced();
    read();
    assertThat(follower.versions).containsExactly(1L);
  }

  @Test
  void firesAShortIntervalBeforeTheTickOfALongOne() throws Exception {
    open(true);
    Follower slow = new Follower("a", "b", null);
    slow.request(Long.MAX_VALUE);
    read();
    set("other"); // the first is checked again after a quarter of an hour
    Follower quick = new Follower(key("c"), key("d"), null, new ArrayList<>(), 20);
    quick.request(Long.MAX_VALUE);
    read();
    assertThat(quick.versions).containsExactly(1L);
    set("other");
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (quick.versions.size() < 2) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(5);
      read();
    }
    assertThat(quick.versions).containsExactly(1L, 2L);
  }

  @Test
  void readsALongSilentPartOfTheLogOnce() {
    open(true);
    for (int i = 0; i < 40; i++) {
      String[] batch = new String[4097];
      java.util.Arrays.fill(batch, "other");
      set(batch);
    }
    Follower follower = new Follower("a", "b", Versionstamp.ZERO);
    follower.request(1);
    read();
    assertThat(follower.versions).hasSize(1);
    assertThat(follower.versions.get(0)).isBetween(1L, store.visible() - 1);
  }

  @Test
  void hidesReservedRecordsOfTheStore() {
    open(true);
    List<CommittedChanges> told = new ArrayList<>();
    Follower follower = new Follower(new byte[0], new byte[] {-1, -1}, Versionstamp.ZERO, told);
    follower.request(Long.MAX_VALUE);
    KvValue value = new KvValue(KvValue.Encoding.BYTES, new byte[] {1});
    List<Mutation> set = List.of(new Mutation.Set(key("a"), value));
    var unused = store.stage(new Commit(List.of(), List.of(), set, List.of(), "once"));
    unused = store.stage(new Commit(List.of(), List.of(), List.of(), List.of(), "twice"));
    hub.published(store.publish());
    read();
    assertThat(told).hasSize(1);
    assertThat(told.get(0).changes()).hasSize(1);
    assertThat(told.get(0).changes().get(0).key()).isEqualTo(key("a"));
  }

  @Test
  void forgetsACancelledFeed() {
    open(true);
    Follower follower = new Follower("a", "b", null);
    follower.request(Long.MAX_VALUE);
    read();
    follower.cancel();
    set("a");
    set("a");
    assertThat(reads).isEmpty();
    assertThat(follower.versions).containsExactly(0L);
  }
}
