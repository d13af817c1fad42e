package io.kvreactive.web.internal.auth;

import io.github.bucket4j.Bucket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the rate of log entries per kind and counts the omitted entries, so that callers cannot
 * fill a disk with log entries. Thread-safe.
 */
public final class LogSampler {
  /** The result for an entry that must not be written. */
  public static final long SKIPPED = -1;

  private record Kind(Bucket bucket, AtomicLong skipped) {}

  private final int perSecond;
  private final Map<String, Kind> kinds = new ConcurrentHashMap<>();

  /**
   * Creates a sampler.
   *
   * @param perSecond the maximum number of entries of each kind per second
   */
  public LogSampler(int perSecond) {
    this.perSecond = perSecond;
  }

  /**
   * Decides whether an entry is written.
   *
   * @param kind the kind of the entry, one of a fixed set
   * @return the number of entries of the kind that were omitted since the last written one, or
   *     {@link #SKIPPED} if this entry must be omitted
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
