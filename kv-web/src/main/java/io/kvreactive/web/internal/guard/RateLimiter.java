package io.kvreactive.web.internal.guard;

import io.github.bucket4j.Bucket;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Token buckets by key, all with the same limits. The least recently used buckets are evicted above
 * a maximum number, so that callers cannot exhaust memory by inventing keys. Thread-safe.
 */
final class RateLimiter {
  private final int capacity;
  private final int refill;
  private final Duration per;
  private final Map<String, Bucket> buckets;

  RateLimiter(int capacity, int refill, Duration per, int max) {
    this.capacity = capacity;
    this.refill = refill;
    this.per = per;
    this.buckets =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
            return size() > max;
          }
        };
  }

  /**
   * Takes a permit and returns 0, or takes none and returns the nanoseconds until a permit is
   * available.
   */
  long take(String name) {
    var probe = bucket(name).tryConsumeAndReturnRemaining(1);
    return probe.isConsumed() ? 0 : Math.max(1, probe.getNanosToWaitForRefill());
  }

  /** Returns the result that {@link #take} would have, without taking a permit. */
  long peek(String name) {
    synchronized (buckets) {
      if (!buckets.containsKey(name)) {
        return 0;
      }
    }
    var probe = bucket(name).estimateAbilityToConsume(1);
    return probe.canBeConsumed() ? 0 : Math.max(1, probe.getNanosToWaitForRefill());
  }

  private Bucket bucket(String name) {
    synchronized (buckets) {
      return buckets.computeIfAbsent(name, first -> full());
    }
  }

  private Bucket full() {
    return Bucket.builder()
        .addLimit(limit -> limit.capacity(capacity).refillGreedy(refill, per))
        .build();
  }

  int size() {
    synchronized (buckets) {
      return buckets.size();
    }
  }
}
