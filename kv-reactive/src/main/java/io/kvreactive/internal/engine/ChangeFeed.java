package io.kvreactive.internal.engine;

import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.ChangeCursor;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.SerialSubscription;
import io.kvreactive.spi.StoredChange;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.CoreSubscriber;

/**
 * A subscription to the changes of a range. With demand it reads in steps on reader threads. When
 * it has caught up, it rests until the hub wakes it for a commit that touches its range. Between
 * two steps it is only a position in the sequence of commits.
 */
final class ChangeFeed extends SerialSubscription<CommittedChanges> implements ReadPool.LongRead {
  private static final int STEP_BYTES = 256 << 10;

  /**
   * Number of steps without an element after which a bookmark is emitted, which saves reading these
   * commits again.
   */
  private static final int STEPS_PER_BOOKMARK = 64;

  private static final long AWAKE = -1;
  // greater values: the first version that has touched the range
  private static final long RESTING = 0;

  private final ChangesRequest request;
  private final ChangeFilter filter;
  private final Store store;
  private final ChangeCursor cursor;
  private final FeedHub hub;
  private final long newestAtStart;

  private final AtomicLong rest = new AtomicLong(AWAKE);
  private volatile long emittedVersion; // version of the last element
  private volatile long emittedNanos = System.nanoTime();
  private long blockedAt; // version of a change that is not durable yet
  private int silentSteps;

  /**
   * Creates a feed.
   *
   * @param cursor the cursor at the start position
   * @param readers the executor on which commits are read and signals are emitted
   */
  ChangeFeed(
      CoreSubscriber<? super CommittedChanges> actual,
      ChangesRequest request,
      Store store,
      ChangeCursor cursor,
      Executor readers,
      FeedHub hub) {
    super(actual, readers);
    this.request = request;
    this.filter = new ChangeFilter(request.start(), request.end(), request.oldValues());
    this.store = store;
    this.cursor = cursor;
    this.hub = hub;
    this.newestAtStart = store.visible();
    this.emittedVersion = request.since() == null ? -1 : cursor.position();
  }

  byte[] start() {
    return request.start();
  }

  byte[] end() {
    return request.end();
  }

  long bookmarkMillis() {
    return request.bookmarkMillis();
  }

  @Override
  public void cancel() {
    super.cancel();
    hub.remove(this);
  }

  /**
   * Wakes the feed if it rests, after a commit has touched the range. Must be called on the store
   * thread.
   */
  void touched(long version) {
    if (rest.get() == RESTING && rest.compareAndSet(RESTING, version)) {
      wake();
    }
  }

  /** Wakes the feed after more commits have become durable. */
  void horizonAdvanced() {
    wake();
  }

  @Override
  protected void release() {
    hub.remove(this);
  }

  @Override
  protected void step() {
    if (requested() > 0 && read()) {
      wake(); // not a loop: other reads must run between steps
    }
  }

  /** Reads a step; returns true if the next one should follow at once. */
  private boolean read() {
    wakeUp();
    blockedAt = 0;
    long before = emittedVersion;
    boolean caughtUp;
    try {
      caughtUp = EngineReads.guarded(() -> cursor.read(STEP_BYTES, this::take));
    } catch (KvException e) {
      terminate(e);
      return false;
    }
    silentSteps = emittedVersion == before ? silentSteps + 1 : 0;
    if (isEnding() || requested() == 0) {
      return false;
    }
    if (blockedAt != 0) {
      hub.awaitHorizon(this);
      return store.horizon() >= blockedAt;
    }
    if (isBookmarkDue()) {
      emit(Math.min(cursor.position(), store.horizon()), store.clock().millis(), List.of());
    }
    return !caughtUp || !comeToRest();
  }

  /** Returns true if a commit is accepted; false if there is no demand for it. */
  private boolean take(CommitRecord commit) {
    if (isEnding()) {
      return false;
    }
    List<StoredChange> changes = filter.changes(commit.effects());
    if (changes.isEmpty()) {
      return true;
    }
    if (requested() == 0) {
      return false;
    }
    if (commit.version() > store.horizon()) {
      blockedAt = commit.version();
      return false;
    }
    emit(commit.version(), commit.millis(), changes);
    return true;
  }

  private void emit(long version, long millis, List<StoredChange> changes) {
    emittedVersion = version;
    emittedNanos = System.nanoTime();
    emit(new CommittedChanges(Versionstamp.of(version), millis, changes));
  }

  // ---- rest

  private void wakeUp() {
    long through = hub.matched(); // first: commits that are matched later are found below
    long touchedAt = rest.getAndSet(AWAKE);
    if (touchedAt == RESTING) {
      cursor.skipTo(through);
    } else if (touchedAt != AWAKE) {
      cursor.skipTo(touchedAt - 1);
    }
  }

  /**
   * Puts the feed to rest; returns false if a commit may have been published of which the hub has
   * not notified it.
   */
  private boolean comeToRest() {
    if (emittedVersion < newestAtStart) {
      hub.awaitHorizon(this); // for the first bookmark
      if (store.horizon() >= newestAtStart) {
        return false;
      }
    }
    rest.set(RESTING);
    if (hub.published() > cursor.position()) {
      rest.set(AWAKE);
      return false;
    }
    silentSteps = 0;
    if (emittedVersion < cursor.position()) {
      hub.tick();
    }
    return true;
  }

  // ---- bookmarks

  private boolean isBookmarkDue() {
    long reached = Math.min(cursor.position(), store.horizon());
    if (reached <= emittedVersion || requested() == 0) {
      return false;
    }
    boolean first = emittedVersion < newestAtStart && reached >= newestAtStart;
    return first || silentSteps >= STEPS_PER_BOOKMARK || isSilentForLong();
  }

  private boolean isSilentForLong() {
    long silent = System.nanoTime() - emittedNanos;
    return silent >= TimeUnit.MILLISECONDS.toNanos(request.bookmarkMillis());
  }

  /**
   * Wakes the feed if a bookmark is due. Returns true if one will be due later. Called on the timer
   * thread.
   */
  boolean bookmarkIsComing() {
    if (requested() == 0 || hub.matched() <= emittedVersion) {
      return false;
    }
    if (!isSilentForLong() || store.horizon() <= emittedVersion) {
      return true;
    }
    wake();
    return false;
  }
}
