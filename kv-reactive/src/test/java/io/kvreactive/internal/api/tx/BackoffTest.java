package io.kvreactive.internal.api.tx;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.TransactionOptions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Pauses of transactions between attempts. */
class BackoffTest {
  private static final long MILLI = 1_000_000;

  private static List<Long> pauses(TransactionOptions options, long retries) {
    Backoff backoff = new Backoff(options);
    return LongStream.range(0, 1000).map(i -> backoff.pauseNanos(retries)).boxed().toList();
  }

  private static void assertSpread(TransactionOptions options, long retries, long bound) {
    List<Long> pauses = pauses(options, retries);
    assertThat(pauses).allMatch(pause -> pause > 0 && pause <= bound);
    assertThat(pauses).anyMatch(pause -> pause < bound / 4);
    assertThat(pauses).anyMatch(pause -> pause > bound / 4 * 3);
    assertThat(Set.copyOf(pauses).size()).isGreaterThan(900);
  }

  @Test
  void randomizesPausesFromTheFirst() {
    assertSpread(TransactionOptions.DEFAULT, 0, MILLI);
    assertSpread(TransactionOptions.DEFAULT, 3, 8 * MILLI);
    assertSpread(TransactionOptions.DEFAULT, 7, 128 * MILLI);
    assertSpread(TransactionOptions.DEFAULT, 8, 250 * MILLI);
    assertSpread(TransactionOptions.DEFAULT, 100, 250 * MILLI);
  }

  @Test
  void randomizesPausesWithEqualBounds() {
    Duration bound = Duration.ofMillis(5);
    assertSpread(TransactionOptions.DEFAULT.withBackoff(bound, bound), 0, 5 * MILLI);
    assertSpread(TransactionOptions.DEFAULT.withBackoff(bound, bound), 9, 5 * MILLI);
  }

  @Test
  void randomizesOnlyPartOfAPause() {
    assertThat(pauses(TransactionOptions.DEFAULT.withJitter(0), 2)).containsOnly(4 * MILLI);
    assertThat(pauses(TransactionOptions.DEFAULT.withJitter(0.5), 2))
        .allMatch(pause -> pause >= 2 * MILLI && pause <= 4 * MILLI);
  }

  @Test
  void acceptsHugeBounds() {
    Duration ages = Duration.ofSeconds(Long.MAX_VALUE);
    TransactionOptions options = TransactionOptions.DEFAULT.withBackoff(Duration.ofNanos(1), ages);
    assertThat(pauses(options, 61)).allMatch(pause -> pause > 0 && pause <= 1L << 61);
    assertThat(pauses(options, 1000)).allMatch(pause -> pause > 0);
  }
}
