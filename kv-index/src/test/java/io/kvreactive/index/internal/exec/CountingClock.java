package io.kvreactive.index.internal.exec;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/** Tells how often it was asked, as a query does for every row where it calls for the time. */
final class CountingClock implements InstantSource {
  private final AtomicLong asked = new AtomicLong();

  @Override
  public Instant instant() {
    asked.incrementAndGet();
    return Instant.EPOCH;
  }

  long asked() {
    return asked.get();
  }
}
