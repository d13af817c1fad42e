package io.kvreactive.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class SpinWaitTest {
  private final SpinWait spinWait = new SpinWait();

  @Test
  void returnsAtOnceIfTheConditionHolds() {
    assertThat(asked(() -> true)).isEqualTo(1);
  }

  @Test
  void omitsWaitsAfterWaitsInVain() {
    List<Boolean> waited = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      waited.add(asked(() -> false) > 1);
    }
    assertThat(waited).containsExactly(true, false, true, false, false, true, false, false, false);
  }

  @Test
  void seldomWaitsWhereNoWaitSucceeds() {
    int waits = 0;
    for (int i = 0; i < 10_000; i++) {
      waits += asked(() -> false) > 1 ? 1 : 0;
    }
    assertThat(waits).isBetween(100, 200);
  }

  @Test
  void waitsEachTimeAgainAfterASuccess() {
    for (int i = 0; i < 1000; i++) {
      asked(() -> false);
    }
    List<Integer> until = new ArrayList<>();
    for (int i = 0; i < 70; i++) { // at most so many are omitted
      until.add(askedUntilThird());
    }
    assertThat(until).endsWith(3, 3, 3).doesNotContain(17);
  }

  @Test
  void waitsUntilADeadline() {
    long begin = System.nanoTime();
    assertThat(spinWait.until(() -> false, begin + 1_000_000)).isFalse();
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(1_000_000);
    long later = begin + TimeUnit.MINUTES.toNanos(1);
    AtomicInteger left = new AtomicInteger(1000);
    assertThat(spinWait.until(() -> left.decrementAndGet() == 0, later)).isFalse(); // omitted
    assertThat(spinWait.until(() -> left.decrementAndGet() == 0, later)).isTrue();
  }

  private int askedUntilThird() {
    AtomicInteger left = new AtomicInteger(3);
    return asked(() -> left.decrementAndGet() == 0);
  }

  /** Returns the number of times that a wait asked for its condition. */
  private int asked(BooleanSupplier condition) {
    AtomicInteger times = new AtomicInteger();
    spinWait.until(
        () -> {
          times.incrementAndGet();
          return condition.getAsBoolean();
        });
    return times.get();
  }
}
