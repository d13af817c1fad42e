package io.kvreactive.web.internal.guard;

import io.github.bucket4j.Bucket;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Token buckets by name, all alike. The least recently used go when there are too many, so that
 * nobody can fill the memory with names. Safe on any thread.
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

  /** Takes one; 0 when there was one, else the nanoseconds until there is. */
  long take(String name) {
    var probe = bucket(name).tryConsumeAndReturnRemaining(1);
    return probe.isConsumed() ? 0 : Math.max(1, probe.getNanosToWaitForRefill());
  }

  /** What {@link #take} would answer; takes none. */
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
