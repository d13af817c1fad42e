package io.kvreactive.postgres.internal;

import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import io.vertx.core.Context;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/**
 * A subscription to the state of some keys. A commit only marks the subscription. It reads the keys
 * when there is demand, and emits them if a version differs from the last emitted one.
 */
final class PostgresWatch extends TrackedSubscription<ReadResult> {
  private final PostgresReads reads;
  private final DatabaseClock clock;
  private final List<byte[]> keys;
  private final List<ReadRange> points;
  private final long maxBytes;

  private @Nullable ReadResult found; // by the last read, until the next step
  private @Nullable List<Object> emitted; // the stamps of the last emitted state

  PostgresWatch(
      CoreSubscriber<? super ReadResult> subscriber,
      Context context,
      ChangeTracker tracker,
      PostgresReads reads,
      DatabaseClock clock,
      List<byte[]> keys,
      long maxBytes) {
    super(subscriber, context, tracker);
    this.reads = reads;
    this.clock = clock;
    this.keys = keys;
    this.points = keys.stream().map(ReadRange::point).toList();
    this.maxBytes = maxBytes;
  }

  @Override
  void register() {
    tracker.add(this, keys);
  }

  @Override
  void drop() {
    tracker.remove(this);
    found = null;
  }

  @Override
  protected void step() {
    ReadResult state = found;
    if (state != null) {
      found = null;
      touchAt(earliestExpiry(state));
      List<Object> stamps = state.pages().stream().map(PostgresWatch::stamp).toList();
      if (!stamps.equals(emitted)) {
        emitted = stamps;
        emit(state);
      }
    }
    if (touched && !reading && requested() > 0 && !isEnding()) {
      touched = false; // before the read, so that a commit during the read causes another one
      reading = true;
      reads
          .readAll(points, maxBytes)
          .onComplete(
              read -> onEventLoop(() -> take(read)), failure -> fail(PgFailure.shown(failure)));
    }
  }

  private void take(ReadResult state) {
    reading = false;
    found = state;
    wakeHere();
  }

  /** Arranges a read when an entry expires, which no commit announces in time. */
  private void touchAt(long millis) {
    if (millis == Long.MAX_VALUE) {
      cancelTimer();
    } else {
      long wait = Math.max(1, Math.min(millis - clock.now(), Integer.MAX_VALUE));
      setTimer(wait, this::touched);
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
