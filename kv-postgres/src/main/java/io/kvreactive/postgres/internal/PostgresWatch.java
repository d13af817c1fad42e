package io.kvreactive.postgres.internal;

import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.SerialSubscription;
import io.kvreactive.spi.StoredEntry;
import io.vertx.core.Context;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * One subscription to the state of some keys. A commit only marks it. The keys are read when there
 * is demand, and emitted when a version differs from what was emitted last. State: event loop of
 * the engine.
 */
final class PostgresWatch implements Subscription {
  private final CoreSubscriber<? super ReadResult> actual;
  private final Context context;
  private final ChangeTracker tracker;
  private final PostgresReads reads;
  private final DatabaseClock clock;
  private final List<byte[]> keys;
  private final List<ReadRange> points;
  private final long maxBytes;

  private long demand;
  private boolean dirty = true;
  private boolean reading;
  private boolean done;
  private long timer = -1;
  private @Nullable List<Object> emitted; // the stamps of what was emitted last

  PostgresWatch(
      CoreSubscriber<? super ReadResult> actual,
      Context context,
      ChangeTracker tracker,
      PostgresReads reads,
      DatabaseClock clock,
      List<byte[]> keys,
      long maxBytes) {
    this.actual = actual;
    this.context = context;
    this.tracker = tracker;
    this.reads = reads;
    this.clock = clock;
    this.keys = keys;
    this.points = keys.stream().map(ReadRange::point).toList();
    this.maxBytes = maxBytes;
  }

  /** Subscribes. Thread-safe. */
  void subscribe() {
    actual.onSubscribe(this);
    context.runOnContext(
        ignored -> {
          if (!done) {
            tracker.add(this, keys);
          }
        });
  }

  @Override
  public void request(long n) {
    context.runOnContext(
        ignored -> {
          if (n <= 0) {
            fail(SerialSubscription.invalidRequest(n));
          } else {
            demand = Operators.addCap(demand, n);
            step();
          }
        });
  }

  @Override
  public void cancel() {
    context.runOnContext(ignored -> end());
  }

  /** Reads the keys again, after a commit to one of them or an expiry. Event loop. */
  void touched() {
    dirty = true;
    step();
  }

  /** Completes the subscription when the engine is closed. Event loop. */
  void complete() {
    if (end()) {
      actual.onComplete();
    }
  }

  void fail(Throwable failure) {
    if (end()) {
      actual.onError(failure);
    }
  }

  private boolean end() {
    if (done) {
      return false;
    }
    done = true;
    context.owner().cancelTimer(timer);
    tracker.remove(this);
    return true;
  }

  private void step() {
    if (done || reading || !dirty || demand == 0) {
      return;
    }
    dirty = false; // before the read: a commit that comes during it is read next time
    reading = true;
    reads
        .readAll(points, maxBytes)
        .onComplete(
            state -> context.runOnContext(ignored -> emit(state)),
            failure -> context.runOnContext(ignored -> fail(PgFailure.shown(failure))));
  }

  private void emit(ReadResult state) {
    reading = false;
    if (done) {
      return;
    }
    touchAt(earliestExpiry(state));
    List<Object> stamps = state.pages().stream().map(PostgresWatch::stamp).toList();
    if (!stamps.equals(emitted)) {
      emitted = stamps;
      demand = demand == Long.MAX_VALUE ? demand : demand - 1;
      actual.onNext(state);
    }
    step();
  }

  /** Arranges a read when an entry expires, which no commit announces in time. */
  private void touchAt(long millis) {
    context.owner().cancelTimer(timer);
    timer = -1;
    if (millis != Long.MAX_VALUE) {
      long wait = Math.max(1, Math.min(millis - clock.now(), Integer.MAX_VALUE));
      timer = context.owner().setTimer(wait, fired -> context.runOnContext(at -> touched()));
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
