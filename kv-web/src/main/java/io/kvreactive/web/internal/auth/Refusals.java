package io.kvreactive.web.internal.auth;

import io.github.bucket4j.Bucket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What one server refuses, as far as it is logged: a caller must not be able to fill the disk, nor
 * to hide behind what another server in the same program refuses. Safe on any thread.
 */
public final class Refusals {
  private static final int PER_SECOND = 20;

  private record Sample(Bucket bucket, AtomicLong left) {
    Sample() {
      this(
          Bucket.builder()
              .addLimit(l -> l.capacity(PER_SECOND).refillGreedy(PER_SECOND, Duration.ofSeconds(1)))
              .build(),
          new AtomicLong());
    }
  }

  private final Map<String, Sample> samples = new ConcurrentHashMap<>();

  /**
   * An entry of the audit log. Of one kind, 20 in a second are logged, and then how many were not:
   * {@code unlogged}.
   *
   * @param event one of a fixed set
   */
  public Audit refused(String event) {
    Sample sample = samples.computeIfAbsent(event, first -> new Sample());
    if (!sample.bucket().tryConsume(1)) {
      sample.left().incrementAndGet();
      return Audit.none();
    }
    long left = sample.left().getAndSet(0);
    Audit audit = Audit.refused(event);
    return left == 0 ? audit : audit.with("unlogged", Long.toString(left));
  }
}
