package io.kvreactive.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvStats.ClockState;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SteadyClockTest {
  private static final long HOUR = 3_600_000;
  private static final long YEARS = 50 * 365 * 24 * HOUR;
  private final AtomicLong wall = new AtomicLong(500_000 * HOUR); // in 2027
  private final AtomicLong nanos = new AtomicLong(77);
  private final AtomicLong suspended = new AtomicLong(Long.MIN_VALUE); // not known

  private void pass(long millis) {
    wall.addAndGet(millis);
    nanos.addAndGet(millis * 1_000_000);
  }

  private SteadyClock clock(long least) {
    return new SteadyClock("test", least, new ClockSources(wall::get, nanos::get, suspended::get));
  }

  private static ClockState state(SteadyClock clock) {
    return clock.state().state();
  }

  @Test
  void followsTheWallClock() {
    SteadyClock clock = clock(0);
    for (int i = 0; i < 10; i++) {
      assertThat(clock.millis()).isEqualTo(wall.get());
      pass(i * 7);
    }
    wall.addAndGet(HOUR); // set forward
    assertThat(clock.millis()).isEqualTo(wall.get());
    assertThat(state(clock)).isEqualTo(ClockState.IN_STEP);
  }

  @Test
  void slowsDownWhenTheWallClockIsSetBackUntilItHasCaughtUp() {
    SteadyClock clock = clock(0);
    long start = clock.millis();
    wall.addAndGet(-HOUR);
    assertThat(clock.millis()).isEqualTo(start);
    assertThat(clock.state().ahead()).isEqualTo(Duration.ofHours(1));
    assertThat(state(clock)).isEqualTo(ClockState.AHEAD);
    pass(1000);
    assertThat(clock.millis()).isEqualTo(start + 900);
    pass(9 * HOUR - 1000);
    assertThat(clock.millis()).isEqualTo(start + 9 * HOUR * 9 / 10).isGreaterThan(wall.get());
    pass(HOUR);
    assertThat(clock.millis()).as("after ten hours").isEqualTo(wall.get());
    assertThat(state(clock)).isEqualTo(ClockState.IN_STEP);
    wall.addAndGet(-999); // little: it waits
    assertThat(clock.millis()).isEqualTo(start + 9 * HOUR);
    pass(999);
    assertThat(clock.millis()).isEqualTo(start + 9 * HOUR);
    pass(1);
    assertThat(clock.millis()).isEqualTo(start + 9 * HOUR + 1);
  }

  @Test
  void catchesUpWithoutInterveningReads() {
    SteadyClock clock = clock(0);
    clock.millis();
    wall.addAndGet(-HOUR);
    clock.millis();
    pass(1000 * HOUR); // the wall clock has not jumped, though time is far behind it
    assertThat(clock.millis()).isEqualTo(wall.get());
  }

  @Test
  void startsAtTheEndOfTheLogWhenTheWallClockWasSetBack() {
    long least = wall.get() + HOUR;
    SteadyClock clock = clock(least);
    assertThat(clock.millis()).isEqualTo(least);
    pass(500);
    assertThat(clock.millis()).isEqualTo(least + 450);
    assertThat(state(clock)).isEqualTo(ClockState.AHEAD);
  }

  @Test
  void doesNotFollowOneWrongReading() {
    SteadyClock clock = clock(0);
    long start = clock.millis();
    for (long jump : new long[] {YEARS, 2 * HOUR, 100 * 24 * HOUR, HOUR + 1}) {
      wall.addAndGet(jump);
      assertThat(clock.millis()).isEqualTo(start);
      assertThat(state(clock)).isEqualTo(ClockState.JUMP_HELD);
      assertThat(clock.state().ahead()).isEqualTo(Duration.ofMillis(-jump));
      pass(1000);
      assertThat(clock.millis()).isEqualTo(start + 1000);
      wall.addAndGet(-jump);
      assertThat(clock.millis()).isEqualTo(start + 1000).isEqualTo(wall.get());
      assertThat(state(clock)).isEqualTo(ClockState.IN_STEP);
      start += 1000;
    }
  }

  @Test
  void followsALastingJump() {
    SteadyClock clock = clock(0);
    long start = clock.millis();
    wall.addAndGet(8 * HOUR);
    assertThat(clock.millis()).isEqualTo(start);
    pass(599_999);
    assertThat(clock.millis()).isEqualTo(start + 599_999);
    pass(1);
    assertThat(clock.millis()).isEqualTo(wall.get());
    assertThat(state(clock)).isEqualTo(ClockState.IN_STEP);
  }

  @Test
  void doesNotFollowALastingJumpOfYears() {
    SteadyClock clock = clock(0);
    long start = clock.millis();
    wall.addAndGet(YEARS);
    for (int i = 0; i < 1000; i++) {
      assertThat(clock.millis()).isEqualTo(start + i * HOUR);
      pass(HOUR);
    }
    wall.addAndGet(-YEARS);
    assertThat(clock.millis()).isEqualTo(wall.get());
  }

  @Test
  void restartsTheConfirmationForAnotherJump() {
    SteadyClock clock = clock(0);
    long start = clock.millis();
    for (int i = 0; i < 20; i++) { // each wrong in a different way
      wall.addAndGet(2 * HOUR);
      assertThat(clock.millis()).isEqualTo(start + i * 599_999L);
      pass(599_999);
    }
  }

  @Test
  void followsTheTimeOfASuspendedMachineAtOnce() {
    suspended.set(5);
    SteadyClock clock = clock(0);
    clock.millis();
    wall.addAndGet(8 * HOUR);
    suspended.addAndGet(8 * HOUR - 10);
    assertThat(clock.millis()).isEqualTo(wall.get());
    assertThat(state(clock)).isEqualTo(ClockState.IN_STEP);
    wall.addAndGet(8 * HOUR); // which counts once
    assertThat(clock.millis()).isEqualTo(wall.get() - 8 * HOUR);
    assertThat(state(clock)).isEqualTo(ClockState.JUMP_HELD);
    suspended.addAndGet(9 * HOUR); // while the lock is held
    wall.addAndGet(9 * HOUR);
    assertThat(clock.millis()).isBetween(wall.get() - 8 * HOUR - 100, wall.get() - 8 * HOUR);
    pass(600_000);
    assertThat(clock.millis()).isEqualTo(wall.get());
  }

  @Test
  void followsSuspensionOnceItIsReported() {
    SteadyClock clock = clock(0);
    long start = clock.millis();
    suspended.set(-1000 * HOUR);
    wall.addAndGet(YEARS);
    assertThat(clock.millis()).isEqualTo(start);
    suspended.set(Long.MIN_VALUE); // no descriptor is free
    wall.addAndGet(YEARS);
    assertThat(clock.millis()).isEqualTo(start);
    suspended.set(-1000 * HOUR);
    wall.addAndGet(-2 * YEARS);
    assertThat(clock.millis()).isEqualTo(start);
  }

  @Test
  void followsTheCorrectionOfAClockThatWasWrongAtTheStart() {
    long right = wall.get();
    wall.set(1000); // 1970, and a new store
    SteadyClock clock = clock(0);
    assertThat(clock.millis()).isEqualTo(1000);
    wall.set(right);
    assertThat(clock.millis()).isEqualTo(right);
    assertThat(clock.confirmedMillis()).isEqualTo(right);

    wall.set(1000); // 1970, and an old one
    SteadyClock old = clock(right - 100 * 24 * HOUR);
    assertThat(old.millis()).isEqualTo(right - 100 * 24 * HOUR);
    pass(1000);
    assertThat(old.millis()).isEqualTo(right - 100 * 24 * HOUR + 900);
    wall.set(right);
    assertThat(old.millis()).isEqualTo(right);
    wall.set(right + 2 * HOUR); // checked from here on
    assertThat(old.millis()).isEqualTo(right);
  }

  @Test
  void acceptsAStartYearsLaterButDelaysDeletions() {
    long least = wall.get();
    wall.addAndGet(YEARS / 10);
    SteadyClock clock = clock(least);
    assertThat(clock.millis()).isEqualTo(wall.get());
    assertThat(clock.confirmedMillis()).isEqualTo(least);
    assertThat(state(clock)).isEqualTo(ClockState.UNCONFIRMED);
    pass(600_000);
    assertThat(clock.confirmedMillis()).isEqualTo(wall.get());
    assertThat(state(clock)).isEqualTo(ClockState.IN_STEP);
    assertThat(clock(wall.get() - 300 * 24 * HOUR).confirmedMillis()).isEqualTo(wall.get());
  }

  @Test
  void neverGoesBack() {
    Random random = new Random(1);
    SteadyClock clock = clock(0);
    long before = 0;
    for (int i = 0; i < 2_000; i++) {
      switch (random.nextInt(8)) {
        case 0 -> wall.addAndGet((long) ((random.nextDouble() - 0.5) * 2 * YEARS));
        case 1 -> wall.addAndGet((long) ((random.nextDouble() - 0.5) * 5 * HOUR));
        case 2 -> wall.addAndGet((long) ((random.nextDouble() - 0.5) * 5000));
        case 3 -> pass(random.nextInt(1_000_000));
        case 4 -> wall.set(500_000 * HOUR);
        case 5 -> suspended.set(random.nextLong(YEARS));
        default -> pass(random.nextInt(1000));
      }
      long now = clock.millis();
      assertThat(now).isGreaterThanOrEqualTo(before);
      assertThat(clock.confirmedMillis()).isLessThanOrEqualTo(clock.millis());
      before = now;
    }
  }

  @Test
  void usesTheSystemClocks() {
    SteadyClock clock = SteadyClock.system("test");
    assertThat(clock.instant()).isBetween(Instant.now().minusSeconds(5), Instant.now());
    assertThat(state(clock)).isEqualTo(ClockState.IN_STEP);
  }
}
