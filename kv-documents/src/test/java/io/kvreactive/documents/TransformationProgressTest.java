package io.kvreactive.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TransformationProgressTest {
  private static final Instant BEGIN = Instant.parse("2026-11-22T10:00:00Z");

  private static @Nullable Duration remaining(long done, @Nullable String error, int seconds) {
    return new TransformationProgress.Job(
            "composite#1", IndexState.BUILDING, done, 1000, BEGIN, error)
        .remaining(BEGIN.plusSeconds(seconds));
  }

  @Test
  void estimatesRemainingTimeByTheRateSoFar() {
    assertThat(remaining(250, null, 10)).isEqualTo(Duration.ofSeconds(30));
    assertThat(remaining(1000, null, 10)).isZero();
    assertThat(remaining(1001, null, 10)).as("more than was counted").isZero();
    assertThat(remaining(1, null, -5)).as("a clock that was set back").isZero();
  }

  @Test
  void estimatesNothingAtTheStartOrAfterAFailure() {
    assertThat(remaining(0, null, 10)).isNull();
    assertThat(remaining(250, "an item has too many entries", 10)).isNull();
  }
}
