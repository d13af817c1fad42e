package io.kvreactive.documents.internal.exec;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that counts its reads. A query that uses the current time reads it for every row. */
final class CountingClock implements InstantSource {
  private final AtomicLong reads = new AtomicLong();

  @Override
  public Instant instant() {
    reads.incrementAndGet();
    return Instant.EPOCH;
  }

  long reads() {
    return reads.get();
  }
}
