package io.kvreactive.web.internal.auth;

import io.github.bucket4j.Bucket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds how often log entries of a kind are written, and counts those that are not: callers must
 * not be able to fill a disk by way of the log. Thread-safe.
 */
public final class LogSampler {
  /** Returned for an entry that is not to be written. */
  public static final long SKIPPED = -1;

  private record Kind(Bucket bucket, AtomicLong skipped) {}

  private final int perSecond;
  private final Map<String, Kind> kinds = new ConcurrentHashMap<>();

  /**
   * @param perSecond the maximum number of entries of each kind in a second
   */
  public LogSampler(int perSecond) {
    this.perSecond = perSecond;
  }

  /**
   * Decides on an entry.
   *
   * @param kind one of a fixed set
   * @return the number of entries of the kind that were skipped since the last one that was
   *     written, or {@link #SKIPPED} for this one to be skipped
   */
  public long take(String kind) {
    Kind known = kinds.computeIfAbsent(kind, first -> new Kind(bucket(), new AtomicLong()));
    if (!known.bucket().tryConsume(1)) {
      known.skipped().incrementAndGet();
      return SKIPPED;
    }
    return known.skipped().getAndSet(0);
  }

  private Bucket bucket() {
    return Bucket.builder()
        .addLimit(limit -> limit.capacity(perSecond).refillGreedy(perSecond, Duration.ofSeconds(1)))
        .build();
  }
}
