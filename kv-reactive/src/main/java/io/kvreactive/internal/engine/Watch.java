package io.kvreactive.internal.engine;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * One subscription to the state of some keys. A commit only marks it; the keys are read anew when
 * there is demand, and what was read is emitted when a version differs from what was emitted last.
 * So it holds one state's versions, however slow its subscriber is.
 */
final class Watch implements Subscription {
  private final CoreSubscriber<? super ReadResult> actual;
  private final Executor readers;
  private final Supplier<ReadResult> read;
  private final Consumer<Watch> remove;
  private final BiFunction<Long, Runnable, Future<?>> timer;

  private final AtomicLong demand = new AtomicLong();
  private final AtomicInteger work = new AtomicInteger();
  private volatile boolean dirty = true;
  private volatile boolean completed;
  private volatile boolean cancelled;
  private volatile @Nullable KvException failure;
  private @Nullable List<Object> emitted; // the stamps of what was emitted last
  private volatile boolean done;
  private volatile @Nullable Future<?> expiry;
  private long expiryAt;

  /**
   * @param readers where the keys are read and signals are emitted
   * @param read reads all keys at the newest version
   * @param remove called once, when it ends
   * @param timer runs a task at a time of the store's clock
   */
  Watch(
      CoreSubscriber<? super ReadResult> actual,
      Executor readers,
      Supplier<ReadResult> read,
      Consumer<Watch> remove,
      BiFunction<Long, Runnable, Future<?>> timer) {
    this.actual = actual;
    this.readers = readers;
    this.read = read;
    this.remove = remove;
    this.timer = timer;
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
    ended();
  }

  private void ended() {
    remove.accept(this);
    Future<?> waiting = expiry;
    if (waiting != null) {
      waiting.cancel(false);
    }
  }

  /**
   * From here on commits are told. One that came before that, but after the first read, was not: so
   * the keys are read once more.
   */
  void registered() {
    if (cancelled || done) {
      remove.accept(this); // it ended before there was anything to remove
    } else {
      touched();
    }
  }

  /** A commit has touched one of the keys. Any thread; does not block. */
  void touched() {
    if (!dirty) {
      dirty = true;
      wake();
    }
  }

  /** The engine is closed. */
  void complete() {
    completed = true;
    if (work.getAndIncrement() == 0) {
      emit(); // the readers may be gone
    }
  }

  private void wake() {
    if (work.getAndIncrement() == 0) {
      try {
        readers.execute(this::emit);
      } catch (KvException e) {
        emit(); // closed meanwhile: complete() follows or is done
      }
    }
  }

  private void emit() {
    int seen = work.get();
    do {
      step();
      seen = work.addAndGet(-seen);
    } while (seen != 0);
  }

  private void step() {
    while (!done && !cancelled) {
      KvException failed = failure;
      if (failed != null) {
        done = true;
        ended();
        actual.onError(failed);
      } else if (completed) {
        done = true;
        ended();
        actual.onComplete();
      } else if (dirty && demand.get() > 0) {
        readAndEmit();
      } else {
        return;
      }
    }
  }

  private void readAndEmit() {
    dirty = false; // before the read: a commit that comes during it is read next time
    ReadResult state;
    try {
      state = read.get();
    } catch (KvException e) {
      if (e.code() == KvErrorCode.CLOSED) {
        completed = true;
      } else {
        failure = e;
      }
      return;
    }
    touchAt(earliestExpiry(state));
    List<Object> stamps = state.pages().stream().map(Watch::stamp).toList();
    if (!stamps.equals(emitted)) {
      emitted = stamps;
      if (demand.get() != Long.MAX_VALUE) {
        demand.decrementAndGet();
      }
      actual.onNext(state);
    }
  }

  /** What expires is a change that no commit tells of in time. */
  private void touchAt(long millis) {
    Future<?> waiting = expiry;
    if (millis == expiryAt && (waiting == null ? millis == Long.MAX_VALUE : !waiting.isDone())) {
      return;
    }
    if (waiting != null) {
      waiting.cancel(false);
    }
    expiryAt = millis;
    expiry = millis == Long.MAX_VALUE ? null : timer.apply(millis, this::touched);
    if (cancelled) {
      ended(); // it was cancelled while the timer was set
    }
  }

  private static long earliestExpiry(ReadResult state) {
    long earliest = Long.MAX_VALUE;
    for (RangePage page : state.pages()) {
      for (StoredEntry entry : page.entries()) {
        earliest = entry.expireAt() == 0 ? earliest : Math.min(earliest, entry.expireAt());
      }
    }
    return earliest;
  }

  private static Object stamp(RangePage page) {
    return page.entries().isEmpty() ? "absent" : page.entries().get(0).versionstamp();
  }
}
