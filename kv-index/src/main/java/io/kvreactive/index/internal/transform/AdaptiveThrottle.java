package io.kvreactive.index.internal.transform;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.index.internal.collection.OperationCounter;
import java.time.Duration;

/**
 * How fast background work goes: in large batches without pauses while nobody else wants anything,
 * else in small ones, with an eighth of one core. What counts is what the work takes from others,
 * not how long it waits behind them: by the time alone, a batch that waits for the commits of
 * others would earn a long pause, and a build beside 64 writers went at a few hundred items a
 * second. One user at a time, but for {@link #size}.
 */
final class AdaptiveThrottle {
  private static final long QUIET_NANOS = 300_000_000;
  private static final long BUSY_NANOS = 2_000_000;
  private static final int SHARE = 8;

  /** A key on the store's thread, on the image's, and as garbage; measured: 4 to 6 µs. */
  private static final long KEY_NANOS = 5_000;

  private final OperationCounter traffic;
  private final int smallest;
  private final int largest;
  private volatile int size; // others read it
  private long seen;
  private boolean busy;

  AdaptiveThrottle(OperationCounter traffic, int smallest, int largest) {
    this.traffic = traffic;
    this.smallest = Math.min(smallest, largest);
    this.largest = largest;
    this.size = this.smallest;
    this.seen = traffic.operations();
  }

  /** How large the next batch should be. */
  int size() {
    return size;
  }

  /** Whether a batch has failed because it was too large; then the next is half of it. */
  boolean isTooMuch(Throwable failure) {
    if (!(failure instanceof KvException e)
        || e.code() != KvErrorCode.LIMIT_EXCEEDED
        || size == 1) {
      return false;
    }
    size = size / 2;
    return true;
  }

  /**
   * A batch has been done.
   *
   * @param count how large it was
   * @param keys that were written or deleted for it
   * @param making nanoseconds that it took to make, as far as others had to wait for that
   * @param elapsed nanoseconds from the beginning to the end of its commit
   * @return how long to wait before the next
   */
  Duration done(int count, int keys, long making, long elapsed) {
    look();
    long work = making + keys * KEY_NANOS;
    long took = busy ? work : elapsed;
    long target = busy ? BUSY_NANOS : QUIET_NANOS;
    if (took > target) {
      size = Math.max(Math.min(smallest, size), size / 2);
    } else if (took < target / 2 && count >= size) {
      size = Math.min(largest, size * 2);
    }
    return busy ? Duration.ofNanos(Math.max(0, work * SHARE - elapsed)) : Duration.ZERO;
  }

  /**
   * Something has been read that changes nothing.
   *
   * @param took nanoseconds that it took of a core
   * @return how long to wait before the next
   */
  Duration read(long took) {
    look();
    return busy ? Duration.ofNanos(took * (SHARE - 1)) : Duration.ZERO;
  }

  private void look() {
    long now = traffic.operations();
    busy = now != seen;
    seen = now;
  }
}
