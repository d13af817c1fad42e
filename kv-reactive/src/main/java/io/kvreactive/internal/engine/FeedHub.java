package io.kvreactive.internal.engine;

import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.spi.StoredChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Wakes feeds that have caught up when a commit touches their range. The store thread only searches
 * for these feeds and wakes them, each once per batch of commits. A feed whose range is not touched
 * costs nothing.
 */
final class FeedHub {
  /** Checks for due bookmarks per interval, which bound how late a bookmark is. */
  private static final int TICKS_PER_INTERVAL = 4;

  private static final long MIN_TICK_MILLIS = 5;

  /**
   * The index of all feeds is rebuilt when more feeds than this, and a share of the indexed ones,
   * were added or have ended.
   */
  private static final int FEW = 64;

  private static final int NEW_SHARE = 16;

  private final TimerThread timers;
  private final LongSupplier clock;
  private final LongSupplier horizon;
  private final Map<ChangeFeed, Entry> feeds = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<ChangeFeed> awaitingHorizon = new ConcurrentLinkedQueue<>();
  private volatile @Nullable Tick next; // written under the lock of this
  private final ConcurrentLinkedQueue<Entry> added = new ConcurrentLinkedQueue<>();
  private final AtomicInteger removed = new AtomicInteger(); // since the index was built
  private volatile boolean closed;
  private volatile long published;
  private volatile long matched;

  // on the store thread
  private IntervalTree<Entry> index = new IntervalTree<>(List.of());
  // of the feeds added since the index was built
  private IntervalTree<Entry> newest = new IntervalTree<>(List.of());
  private List<Entry> newFeeds = new ArrayList<>();
  private long lastHorizon; // confined to the store thread

  /**
   * The entry of a feed in an index. It outlives the feed, because the index is rebuilt only after
   * many feeds have ended. The entry refers to the feed, and so to its subscriber, until the feed
   * ends.
   */
  private static final class Entry implements IntervalTree.Ranged {
    private final byte[] start;
    private final byte[] end;
    private volatile @Nullable ChangeFeed feed;

    Entry(ChangeFeed feed) {
      this.start = feed.start();
      this.end = feed.end();
      this.feed = feed;
    }

    @Override
    public byte[] start() {
      return start;
    }

    @Override
    public byte[] end() {
      return end;
    }

    void touched(long version) {
      ChangeFeed touched = feed;
      if (touched != null) {
        touched.touched(version);
      }
    }
  }

  /** A scheduled check for due bookmarks. */
  private static final class Tick {
    final long due;
    @Nullable Future<?> timer;

    Tick(long due) {
      this.due = due;
    }
  }

  /**
   * Creates a hub.
   *
   * @param clock the store's time
   * @param horizon the newest version that may be emitted
   * @param visible the newest version
   */
  FeedHub(TimerThread timers, LongSupplier clock, LongSupplier horizon, long visible) {
    this.timers = timers;
    this.clock = clock;
    this.horizon = horizon;
    this.published = visible;
    this.matched = visible;
  }

  void add(ChangeFeed feed) {
    Entry entry = new Entry(feed);
    feeds.put(feed, entry);
    added.add(entry);
    bringForward(feed);
    if (closed) {
      feed.complete();
    }
  }

  void remove(ChangeFeed feed) {
    Entry entry = feeds.remove(feed);
    if (entry != null) {
      entry.feed = null;
      removed.incrementAndGet();
    }
  }

  int size() {
    return feeds.size();
  }

  /**
   * Returns the last published version. A feed that goes to rest from here on is woken for every
   * commit after it.
   */
  long published() {
    return published;
  }

  /**
   * Returns the last matched version. Every resting feed whose range was touched by a commit up to
   * it has been woken.
   */
  long matched() {
    return matched;
  }

  /**
   * Wakes the feeds of published commits. Must be called on the store thread, when the commits are
   * visible.
   */
  void published(List<CommitRecord> commits) {
    if (commits.isEmpty()) {
      return;
    }
    long last = commits.get(commits.size() - 1).version();
    published = last; // first: a feed that goes to rest now either sees this or is matched below
    if (!feeds.isEmpty()) {
      updateIndexes();
      for (CommitRecord commit : commits) {
        match(commit);
      }
      tick();
    }
    matched = last;
    horizonAdvanced();
  }

  /**
   * Updates the indexes. Few added or ended feeds must not cause a new index of all feeds for each
   * batch.
   */
  private void updateIndexes() {
    int before = newFeeds.size();
    for (Entry entry = added.poll(); entry != null; entry = added.poll()) {
      newFeeds.add(entry);
    }
    if (newFeeds.size() > FEW + index.size() / NEW_SHARE
        || removed.get() > FEW + (index.size() + newFeeds.size()) / 2) {
      removed.set(0);
      newFeeds = new ArrayList<>();
      index = new IntervalTree<>(feeds.values());
      newest = new IntervalTree<>(newFeeds);
    } else if (newFeeds.size() > before) {
      newest = new IntervalTree<>(newFeeds);
    }
    index.startRound();
    newest.startRound();
  }

  private void match(CommitRecord commit) {
    for (StoredChange effect : commit.effects()) {
      if (index.isAllFound() && newest.isAllFound()) {
        return; // each feed is woken once per batch
      }
      if (!ChangeFilter.isChange(effect)) {
        continue;
      }
      byte[] end = effect.end();
      Consumer<Entry> touched = entry -> entry.touched(commit.version());
      if (end == null) {
        index.containing(effect.key(), touched);
        newest.containing(effect.key(), touched);
      } else {
        index.overlapping(effect.key(), end, touched);
        newest.overlapping(effect.key(), end, touched);
      }
    }
  }

  /**
   * Wakes the feed when more commits are durable. The feed must then check whether that has already
   * happened.
   */
  void awaitHorizon(ChangeFeed feed) {
    awaitingHorizon.add(feed);
  }

  /** Wakes waiting feeds if more commits are durable. Must be called on the store thread. */
  void horizonAdvanced() {
    long now = horizon.getAsLong();
    if (now <= lastHorizon) {
      return;
    }
    lastHorizon = now;
    // feeds that wait from now on are not included
    for (int waiting = awaitingHorizon.size(); waiting > 0; waiting--) {
      ChangeFeed feed = awaitingHorizon.poll();
      if (feed != null) {
        feed.horizonAdvanced();
      }
    }
  }

  /** Schedules a check of the feeds for due bookmarks. Thread-safe. */
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
    for (ChangeFeed feed : feeds.keySet()) {
      shortest = Math.min(shortest, feed.bookmarkMillis());
    }
    if (shortest != Long.MAX_VALUE) {
      arm(due(shortest));
    }
  }

  private long due(long intervalMillis) {
    return clock.getAsLong() + Math.max(MIN_TICK_MILLIS, intervalMillis / TICKS_PER_INTERVAL);
  }

  private synchronized void arm(long due) {
    Tick tick = new Tick(due);
    next = tick;
    tick.timer = timers.at(due, () -> ticked(tick));
  }

  /** Moves the scheduled check forward if it is too late for the bookmarks of a new feed. */
  private synchronized void bringForward(ChangeFeed feed) {
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
    for (ChangeFeed feed : feeds.keySet()) {
      again |= feed.bookmarkIsComing();
    }
    if (again) {
      tick();
    }
  }

  /** Completes every feed, including those that are added later. */
  void close() {
    closed = true;
    feeds.keySet().forEach(ChangeFeed::complete);
  }
}
