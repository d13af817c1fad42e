package io.kvreactive.documents.testkit;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/** A clock set by the test. */
public final class ManualClock implements InstantSource {
  private final AtomicLong second = new AtomicLong(1_700_000_000);

  @Override
  public Instant instant() {
    return Instant.ofEpochSecond(second.get());
  }

  public void advance(long seconds) {
    second.addAndGet(seconds);
  }
}
