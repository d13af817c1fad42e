package io.kvreactive.documents.internal.transform;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/**
 * Throttles background work. In a quiet store, batches are large and follow each other without
 * pauses. Beside user operations, batches are small and take an eighth of one core.
 *
 * <p>The throttle counts the work that delays others, not the time that a batch waits behind them.
 * By time alone, a batch that waits for the commits of others would earn a long pause: a build
 * beside 64 writers reached only a few hundred items per second. Not thread-safe, except for {@link
 * #size}.
 */
final class AdaptiveThrottle {
  private static final long QUIET_NANOS = 300_000_000;
  private static final long BUSY_NANOS = 2_000_000;
  private static final int SHARE = 8;

  /**
   * Cost of a key on the store thread, on the image thread, and as garbage; measured: 4 to 6 µs.
   */
  private static final long KEY_NANOS = 5_000;

  private final LongAdder traffic;
  private final int minSize;
  private final int maxSize;
  private volatile int size; // read by other threads
  private long lastOperations;
  private boolean busy;

  AdaptiveThrottle(LongAdder traffic, int minSize, int maxSize) {
    this.traffic = traffic;
    this.minSize = Math.min(minSize, maxSize);
    this.maxSize = maxSize;
    this.size = this.minSize;
    this.lastOperations = traffic.sum();
  }

  /** Returns the size of the next batch. */
  int size() {
    return size;
  }

  /**
   * Returns true if a batch failed because it was too large, and can be halved. The next batches
   * are then no larger than its half.
   */
  boolean isTooLarge(Throwable failure, int count) {
    if (!(failure instanceof KvException e)
        || e.code() != KvErrorCode.LIMIT_EXCEEDED
        || count < 2) {
      return false;
    }
    size = Math.min(size, count / 2);
    return true;
  }

  /**
   * Records a completed batch.
   *
   * @param count the size of the batch
   * @param keys the number of keys written or deleted by the batch
   * @param preparation the time to prepare the batch, in nanoseconds, as far as others had to wait
   * @param elapsed the time from the start to the end of the commit, in nanoseconds
   * @return the pause before the next batch
   */
  Duration done(int count, int keys, long preparation, long elapsed) {
    observeTraffic();
    long work = preparation + keys * KEY_NANOS;
    long took = busy ? work : elapsed;
    long target = busy ? BUSY_NANOS : QUIET_NANOS;
    if (took > target) {
      size = Math.max(Math.min(minSize, size), size / 2);
    } else if (took < target / 2 && count >= size) {
      size = Math.min(maxSize, size * 2);
    }
    return busy ? Duration.ofNanos(Math.max(0, work * SHARE - elapsed)) : Duration.ZERO;
  }

  /**
   * Records a read without changes.
   *
   * @param took the processor time of the read, in nanoseconds
   * @return the pause before the next read
   */
  Duration read(long took) {
    observeTraffic();
    return busy ? Duration.ofNanos(took * (SHARE - 1)) : Duration.ZERO;
  }

  private void observeTraffic() {
    long now = traffic.sum();
    busy = now != lastOperations;
    lastOperations = now;
  }
}
