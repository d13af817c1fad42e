package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class StoreClockTest {
  private static final long HOUR = 3_600_000;
  private final AtomicLong wall = new AtomicLong(10 * HOUR);
  private final AtomicLong nanos = new AtomicLong(77);

  private void pass(long millis) {
    wall.addAndGet(millis);
    nanos.addAndGet(millis * 1_000_000);
  }

  private StoreClock clock(long least) {
    return new StoreClock(least, wall::get, nanos::get);
  }

  @Test
  void followsTheWallClock() {
    StoreClock clock = clock(0);
    for (int i = 0; i < 10; i++) {
      assertThat(clock.getAsLong()).isEqualTo(wall.get());
      pass(i * 7);
    }
    wall.addAndGet(HOUR); // set forward
    assertThat(clock.getAsLong()).isEqualTo(wall.get());
  }

  @Test
  void goesOnWhenTheWallClockIsSetBackUntilThatHasCaughtUp() {
    StoreClock clock = clock(0);
    long start = clock.getAsLong();
    wall.addAndGet(-HOUR);
    assertThat(clock.getAsLong()).isEqualTo(start);
    pass(1000);
    assertThat(clock.getAsLong()).isEqualTo(start + 1000);
    pass(HOUR);
    assertThat(clock.getAsLong()).isEqualTo(start + 1000 + HOUR);
    wall.addAndGet(HOUR);
    assertThat(clock.getAsLong()).isEqualTo(wall.get()).isEqualTo(start + 1000 + HOUR);
    wall.addAndGet(-999); // little: it waits
    assertThat(clock.getAsLong()).isEqualTo(start + 1000 + HOUR);
    pass(999);
    assertThat(clock.getAsLong()).isEqualTo(start + 1000 + HOUR);
    pass(1);
    assertThat(clock.getAsLong()).isEqualTo(start + 1001 + HOUR);
  }

  @Test
  void startsWhereTheLogEndedWhenTheWallClockWasSetBackMeanwhile() {
    StoreClock clock = clock(11 * HOUR);
    assertThat(clock.getAsLong()).isEqualTo(11 * HOUR);
    pass(500);
    assertThat(clock.getAsLong()).isEqualTo(11 * HOUR + 500);
  }
}
