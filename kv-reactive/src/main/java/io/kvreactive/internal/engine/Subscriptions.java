package io.kvreactive.internal.engine;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.shared.ArgumentChecks;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.internal.store.ChangeCursor;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/**
 * The watches and change feeds of a store. Subscriptions may be made on any thread; the store
 * thread notifies them of commits.
 */
final class Subscriptions {
  private final Store store;
  private final LimitChecks checks;
  private final EngineReads reads;
  private final ReadPool readers;
  private final TimerThread timers;
  private final CloseGuard closeGuard;
  private final boolean oldValues;
  private final WatchHub watches;
  private final FeedHub feeds;

  /**
   * Creates the subscriptions of a store.
   *
   * @param oldValues true if the store keeps previous values
   */
  Subscriptions(
      Store store,
      LimitChecks checks,
      EngineReads reads,
      ReadPool readers,
      TimerThread timers,
      CloseGuard closeGuard,
      Executor storeThread,
      boolean oldValues) {
    this.store = store;
    this.checks = checks;
    this.reads = reads;
    this.readers = readers;
    this.timers = timers;
    this.closeGuard = closeGuard;
    this.oldValues = oldValues;
    this.watches = new WatchHub(storeThread);
    this.feeds = new FeedHub(timers, store.clock()::millis, store::horizon, store.visible());
  }

  /** Watches keys; see {@link io.kvreactive.spi.KvEngine#watch(List, long)}. */
  Flux<ReadResult> watch(List<byte[]> keys, long maxBytes) {
    List<ReadRange> points = EngineReads.ofUsers(keys.stream().map(ReadRange::point).toList());
    return new Flux<>() {
      @Override
      public void subscribe(CoreSubscriber<? super ReadResult> actual) {
        try {
          closeGuard.checkOpen();
          checks.watch(keys);
        } catch (KvException e) {
          Operators.error(actual, e);
          return;
        }
        watch(keys, points, maxBytes, actual);
      }
    };
  }

  private void watch(
      List<byte[]> keys,
      List<ReadRange> points,
      long maxBytes,
      CoreSubscriber<? super ReadResult> actual) {
    // of several keys some are often in the image
    @Nullable Executor context = points.size() == 1 ? SubscriberContext.current() : null;
    Watch watch =
        new Watch(
            actual,
            new Watch.StepExecutor(readers, context),
            () -> reads.points(points, maxBytes),
            () -> now(points, maxBytes),
            ended -> watches.remove(ended, keys),
            timers::at);
    watches.add(watch, keys); // first, so that a commit after the first read marks the watch
    watch.subscribe();
  }

  private @Nullable ReadResult now(List<ReadRange> points, long maxBytes) {
    long most = Math.min(maxBytes, SubscriberContext.SMALL_BYTES);
    ReadResult state = reads.readNow(points);
    return state == null || state.bytes() > most ? null : state;
  }

  /** Follows a range; see {@link io.kvreactive.spi.KvEngine#changes}. */
  Flux<CommittedChanges> changes(ChangesRequest request) {
    return new Flux<>() {
      @Override
      public void subscribe(CoreSubscriber<? super CommittedChanges> actual) {
        ChangeFeed feed;
        try {
          closeGuard.checkOpen();
          checks.read(List.of(new ReadRange(request.start(), request.end(), 1, false, true)));
          feed = new ChangeFeed(actual, request, store, cursor(request), readers, feeds);
        } catch (KvException e) {
          Operators.error(actual, e);
          return;
        }
        feeds.add(feed); // first, so that a commit after the first read wakes the feed
        feed.subscribe();
      }
    };
  }

  private ChangeCursor cursor(ChangesRequest request) {
    if (request.oldValues() && !oldValues) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "oldValues: true (expected: a store that was opened with old values)");
    }
    ArgumentChecks.atLeast("bookmarkMillis", request.bookmarkMillis(), 1);
    Versionstamp since = request.since();
    long visible = store.visible();
    if (since == null) {
      return store.changes(visible);
    }
    if (store.isLost(since.version())) {
      throw KvException.lost(since, Versionstamp.of(visible));
    }
    if (Long.compareUnsigned(since.version(), visible) > 0) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "since: " + since + " (expected: at most " + Versionstamp.of(visible) + ", the newest)");
    }
    ChangeCursor cursor = store.changes(since.version());
    if (cursor.oldest() > since.version()) {
      throw KvException.compacted(since, Versionstamp.of(cursor.oldest()));
    }
    return cursor;
  }

  /**
   * Notifies watches and feeds of commits, before these are answered. Must be called on the store
   * thread.
   */
  void published(List<CommitRecord> commits) {
    watches.published(commits);
    feeds.published(commits);
  }

  /** Notifies feeds that more commits are durable. Must be called on the store thread. */
  void horizonAdvanced() {
    feeds.horizonAdvanced();
  }

  /** Returns the number of watches. */
  int watches() {
    return watches.size();
  }

  /** Returns the number of feeds. */
  int feeds() {
    return feeds.size();
  }

  /** Completes all watches and feeds, including those that are added later. */
  void close() {
    watches.close();
    feeds.close();
  }
}
