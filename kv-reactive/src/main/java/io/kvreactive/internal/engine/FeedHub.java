package io.kvreactive.internal.engine;

import io.kvreactive.internal.store.log.Committed;
import io.kvreactive.internal.store.log.Effect;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells feeds that have caught up when a commit touches their range. The store thread only looks
 * for those and wakes them; a feed whose range is not touched costs nothing.
 */
final class FeedHub {
  /** How exactly bookmarks are on time, in shares of their interval. */
  private static final int TICKS_PER_INTERVAL = 4;

  private static final long LEAST_TICK_MILLIS = 5;

  private final Timers timers;
  private final LongSupplier clock;
  private final LongSupplier horizon;
  private final Set<Feed> feeds = ConcurrentHashMap.newKeySet();
  private final ConcurrentLinkedQueue<Feed> awaitingHorizon = new ConcurrentLinkedQueue<>();
  private volatile @Nullable Tick next; // written under the lock
  private volatile boolean stale;
  private volatile boolean closed;
  private volatile long published;
  private volatile long matched;
  private RangeIndex<Feed> index = new RangeIndex<>(List.of()); // store thread
  private long lastHorizon; // store thread

  /** A look for due bookmarks that is to come. */
  private static final class Tick {
    final long due;
    @Nullable Future<?> timer;

    Tick(long due) {
      this.due = due;
    }
  }

  /**
   * @param clock the store's time
   * @param horizon the newest version that may be emitted
   * @param visible the newest version
   */
  FeedHub(Timers timers, LongSupplier clock, LongSupplier horizon, long visible) {
    this.timers = timers;
    this.clock = clock;
    this.horizon = horizon;
    this.published = visible;
    this.matched = visible;
  }

  void add(Feed feed) {
    feeds.add(feed);
    stale = true;
    bringForward(feed);
    if (closed) {
      feed.complete();
    }
  }

  void remove(Feed feed) {
    if (feeds.remove(feed)) {
      stale = true;
    }
  }

  int size() {
    return feeds.size();
  }

  /** A feed that rests from here on is told of every commit after this. */
  long published() {
    return published;
  }

  /** Every feed whose range a commit up to this one has touched, while it was at rest, is told. */
  long matched() {
    return matched;
  }

  /** On the store thread, when the commits are visible. */
  void published(List<Committed> commits) {
    if (commits.isEmpty()) {
      return;
    }
    long last = commits.get(commits.size() - 1).version();
    published = last; // first: whoever comes to rest now sees this, or is seen below
    if (!feeds.isEmpty()) {
      if (stale) {
        stale = false;
        index = new RangeIndex<>(feeds);
      }
      commits.forEach(this::match);
      tick();
    }
    matched = last;
    horizonAdvanced();
  }

  private void match(Committed commit) {
    for (Effect effect : commit.effects()) {
      if (!ChangeFilter.isChange(effect)) {
        continue;
      }
      byte[] end = effect.end();
      if (end == null) {
        index.containing(effect.key(), feed -> feed.touched(commit.version()));
      } else {
        index.overlapping(effect.key(), end, feed -> feed.touched(commit.version()));
      }
    }
  }

  /**
   * The feed is woken when more is durable. It looks itself whether that has happened meanwhile.
   */
  void awaitHorizon(Feed feed) {
    awaitingHorizon.add(feed);
  }

  /** More may be durable. On the store thread. */
  void horizonAdvanced() {
    long now = horizon.getAsLong();
    if (now <= lastHorizon) {
      return;
    }
    lastHorizon = now;
    for (int waiting = awaitingHorizon.size(); waiting > 0; waiting--) { // those that come now wait
      Feed feed = awaitingHorizon.poll();
      if (feed != null) {
        feed.wake();
      }
    }
  }

  /** Lets feeds look for due bookmarks in a while. Any thread. */
  void tick() {
    if (next == null) {
      armForShortest();
    }
  }

  private synchronized void armForShortest() {
    if (next != null) {
      return;
    }
    long shortest = Long.MAX_VALUE;
    for (Feed feed : feeds) {
      shortest = Math.min(shortest, feed.bookmarkMillis());
    }
    if (shortest != Long.MAX_VALUE) {
      arm(due(shortest));
    }
  }

  private long due(long intervalMillis) {
    return clock.getAsLong() + Math.max(LEAST_TICK_MILLIS, intervalMillis / TICKS_PER_INTERVAL);
  }

  private synchronized void arm(long due) {
    Tick tick = new Tick(due);
    next = tick;
    tick.timer = timers.at(due, () -> ticked(tick));
  }

  /** A tick that waits for feeds of longer intervals is too late for a new one. */
  private synchronized void bringForward(Feed feed) {
    Tick armed = next;
    long due = due(feed.bookmarkMillis());
    if (armed != null && due < armed.due) {
      Future<?> timer = armed.timer;
      if (timer != null) {
        timer.cancel(false);
      }
      arm(due);
    }
  }

  private synchronized boolean take(Tick tick) {
    if (next != tick) {
      return false;
    }
    next = null;
    return true;
  }

  private void ticked(Tick tick) {
    if (!take(tick)) {
      return; // replaced by an earlier one
    }
    boolean again = false;
    for (Feed feed : feeds) {
      again |= feed.bookmarkIsComing();
    }
    if (again) {
      tick();
    }
  }

  /** Completes every feed, now and later ones. */
  void close() {
    closed = true;
    feeds.forEach(Feed::complete);
  }
}
