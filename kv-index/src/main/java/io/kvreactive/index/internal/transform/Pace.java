package io.kvreactive.index.internal.transform;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.index.internal.collection.Traffic;
import java.time.Duration;

/**
 * How fast background work goes: in large batches without pauses while nobody else wants anything,
 * else in small ones, and at most a tenth of the time: what is committed has still to be written to
 * the image, and a fifth of the time left others 56 to 61 % of their rate. One user at a time, but
 * for {@link #size}.
 */
final class Pace {
  private static final long QUIET_NANOS = 300_000_000;
  private static final long BUSY_NANOS = 5_000_000;
  private static final int PAUSES_PER_WORK = 9;

  private final Traffic traffic;
  private final int smallest;
  private final int largest;
  private volatile int size; // others read it
  private long seen;
  private boolean busy;

  Pace(Traffic traffic, int smallest, int largest) {
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
   * @param nanos how long it took to make and to commit
   * @return how long to wait before the next
   */
  Duration done(int count, long nanos) {
    long now = traffic.operations();
    busy = now != seen;
    seen = now;
    long target = busy ? BUSY_NANOS : QUIET_NANOS;
    if (nanos > target) {
      size = Math.max(Math.min(smallest, size), size / 2);
    } else if (nanos < target / 2 && count >= size) {
      size = Math.min(largest, size * 2);
    }
    return busy ? Duration.ofNanos(nanos * PAUSES_PER_WORK) : Duration.ZERO;
  }
}
