package io.kvreactive.internal.engine;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.ChangeCursor;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.StoredChange;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * One subscription to the changes of a range. It reads on when there is demand, in steps on reader
 * threads; when it has caught up it rests until the hub tells it of a commit that touches its
 * range. Between two steps it is a place in the sequence of commits and nothing else.
 */
final class ChangeFeed implements Subscription, ReadPool.LongRead {
  private static final int STEP_BYTES = 256 << 10;

  /** Steps without an element after which a bookmark saves reading all that again. */
  private static final int STEPS_PER_BOOKMARK = 64;

  private static final long AWAKE = -1;
  private static final long RESTING = 0; // greater: the first version that has touched the range

  private final CoreSubscriber<? super CommittedChanges> actual;
  private final ChangesRequest request;
  private final ChangeFilter filter;
  private final Store store;
  private final ChangeCursor cursor;
  private final Executor readers;
  private final FeedHub hub;
  private final long newestAtStart;

  private final AtomicLong demand = new AtomicLong();
  private final AtomicInteger work = new AtomicInteger(1); // until it has started
  private final AtomicLong rest = new AtomicLong(AWAKE);
  private volatile boolean completed;
  private volatile boolean cancelled;
  private volatile boolean done;
  private volatile @Nullable KvException failure;

  private volatile long told; // the version of the last element
  private volatile long toldNanos = System.nanoTime();
  private long blockedAt; // a change that is not durable yet
  private int silentSteps;

  /**
   * @param cursor at the place to start from
   * @param readers where commits are read and signals are emitted
   */
  ChangeFeed(
      CoreSubscriber<? super CommittedChanges> actual,
      ChangesRequest request,
      Store store,
      ChangeCursor cursor,
      Executor readers,
      FeedHub hub) {
    this.actual = actual;
    this.request = request;
    this.filter = new ChangeFilter(request.start(), request.end(), request.oldValues());
    this.store = store;
    this.cursor = cursor;
    this.readers = readers;
    this.hub = hub;
    this.newestAtStart = store.visible();
    this.told = request.since() == null ? -1 : cursor.position();
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
  public void request(long n) {
    if (n <= 0) {
      failure =
          new KvException(KvErrorCode.INVALID_ARGUMENT, "request: " + n + " (expected: >= 1)");
    } else {
      demand.accumulateAndGet(n, Operators::addCap);
    }
    wake();
  }

  @Override
  public void cancel() {
    cancelled = true;
    hub.remove(this);
  }

  /** Subscribes. Before it reads anything the hub must know it. */
  void subscribe() {
    hub.add(this);
    actual.onSubscribe(this);
    if (work.decrementAndGet() != 0) {
      schedule();
    }
  }

  /** The engine is closed. */
  void complete() {
    completed = true;
    if (work.getAndIncrement() == 0) {
      finish(); // the readers may be gone
    }
  }

  /** A commit has touched the range. On the store thread. */
  void touched(long version) {
    if (rest.get() == RESTING && rest.compareAndSet(RESTING, version)) {
      wake();
    }
  }

  void wake() {
    if (work.getAndIncrement() == 0) {
      schedule();
    }
  }

  private void schedule() {
    try {
      readers.execute(this);
    } catch (KvException e) {
      finish(); // closed meanwhile: complete() follows or is done
    }
  }

  @Override
  public void run() {
    int seen = work.get();
    boolean more = step();
    if (work.addAndGet(more ? 1 - seen : -seen) != 0) {
      schedule(); // not a loop: others must get their turn
    }
  }

  private void finish() {
    int seen = work.get();
    do {
      var unused = hasEnded();
      seen = work.addAndGet(-seen);
    } while (seen != 0);
  }

  /** Signals the end when it has come. */
  private boolean hasEnded() {
    KvException failed = failure;
    if (done || cancelled) {
      return true;
    }
    if (failed == null && !completed) {
      return false;
    }
    done = true;
    hub.remove(this);
    if (failed == null) {
      actual.onComplete();
    } else {
      actual.onError(failed);
    }
    return true;
  }

  /** Returns whether there is more to do at once. */
  private boolean step() {
    if (hasEnded() || demand.get() == 0) {
      return false;
    }
    wakeUp();
    blockedAt = 0;
    long before = told;
    boolean caughtUp;
    try {
      caughtUp = EngineReads.guarded(() -> cursor.read(STEP_BYTES, this::take));
    } catch (KvException e) {
      failure = e;
      return true; // to tell it
    }
    silentSteps = told == before ? silentSteps + 1 : 0;
    if (cancelled || demand.get() == 0) {
      return false;
    }
    if (blockedAt != 0) {
      hub.awaitHorizon(this);
      return store.horizon() >= blockedAt;
    }
    if (isBookmarkDue()) {
      emit(Math.min(cursor.position(), store.horizon()), store.now(), List.of());
    }
    return !caughtUp || !comeToRest();
  }

  /** Returns true if it takes a commit: not when there is no demand for it. */
  private boolean take(CommitRecord commit) {
    if (cancelled || completed) {
      return false;
    }
    List<StoredChange> changes = filter.changes(commit.effects());
    if (changes.isEmpty()) {
      return true;
    }
    if (demand.get() == 0) {
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
    if (demand.get() != Long.MAX_VALUE) {
      demand.decrementAndGet();
    }
    told = version;
    toldNanos = System.nanoTime();
    actual.onNext(new CommittedChanges(Versionstamp.of(version), millis, changes));
  }

  // ---- rest

  private void wakeUp() {
    long through = hub.matched(); // first: what is matched later is found below
    long touchedAt = rest.getAndSet(AWAKE);
    if (touchedAt == RESTING) {
      cursor.skipTo(through);
    } else if (touchedAt != AWAKE) {
      cursor.skipTo(touchedAt - 1);
    }
  }

  /** Returns false when something may have been published that the hub has not told it of. */
  private boolean comeToRest() {
    if (told < newestAtStart) {
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
    if (told < cursor.position()) {
      hub.tick();
    }
    return true;
  }

  // ---- bookmarks

  private boolean isBookmarkDue() {
    long reached = Math.min(cursor.position(), store.horizon());
    if (reached <= told || demand.get() == 0) {
      return false;
    }
    boolean first = told < newestAtStart && reached >= newestAtStart;
    return first || silentSteps >= STEPS_PER_BOOKMARK || isSilentForLong();
  }

  private boolean isSilentForLong() {
    long silent = System.nanoTime() - toldNanos;
    return silent >= TimeUnit.MILLISECONDS.toNanos(request.bookmarkMillis());
  }

  /** Wakes it when one is due; tells whether one will be. On a thread for timers. */
  boolean bookmarkIsComing() {
    if (demand.get() == 0 || hub.matched() <= told) {
      return false;
    }
    if (!isSilentForLong() || store.horizon() <= told) {
      return true;
    }
    wake();
    return false;
  }
}
