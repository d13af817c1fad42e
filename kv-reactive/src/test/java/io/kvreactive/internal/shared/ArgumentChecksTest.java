package io.kvreactive.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArgumentChecksTest {
  @Test
  void namesTheValueAndTheRule() {
    assertRejected(() -> ArgumentChecks.atLeast("limit", 0, 1), "limit: 0 (expected: at least 1)");
    assertRejected(() -> ArgumentChecks.between("rows", 11, 1, 10), "rows: 11 (expected: 1 to 10)");
    assertRejected(
        () -> ArgumentChecks.check(false, "name", "\"\"", "a name"),
        "name: \"\" (expected: a name)");
  }

  @ParameterizedTest
  @CsvSource({
    "PT0S, 0",
    "PT0.000000001S, 1 ns",
    "PT0.01S, 10 ms",
    "PT1.5S, 1500 ms",
    "PT30S, 30 s",
    "PT24H, 1 day",
    "PT8760H, 365 days"
  })
  void saysBoundsOfTimeInWholeUnits(Duration min, String text) {
    Duration less = min.minusNanos(1);
    assertRejected(
        () -> ArgumentChecks.atLeast("delay", less, min),
        "delay: " + less + " (expected: at least " + text + ")");
    assertRejected(
        () -> ArgumentChecks.between("delay", less, min, Duration.ofDays(400)),
        "delay: " + less + " (expected: " + text + " to 400 days)");
  }

  @Test
  void rejectsMoreThanTheLimit() {
    ArgumentChecks.withinLimit("checks", 10, 10);
    KvException error =
        catchThrowableOfType(KvException.class, () -> ArgumentChecks.withinLimit("checks", 11, 10));
    assertThat(error.code()).isEqualTo(KvErrorCode.LIMIT_EXCEEDED);
    assertThat(error.detail()).isEqualTo("checks: 11 (expected: at most 10)");
  }

  @Test
  void allowsBounds() {
    Duration day = Duration.ofDays(1);
    assertThatCode(
            () -> {
              ArgumentChecks.atLeast("n", 1, 1);
              ArgumentChecks.between("n", 1, 1, 2);
              ArgumentChecks.between("n", 2, 1, 2);
              ArgumentChecks.atLeast("time", day, day);
              ArgumentChecks.between("time", day, day, day);
            })
        .doesNotThrowAnyException();
  }

  private static void assertRejected(ThrowingCallable call, String detail) {
    KvException error = catchThrowableOfType(KvException.class, call);
    assertThat(error.code()).isEqualTo(KvErrorCode.INVALID_ARGUMENT);
    assertThat(error.detail()).isEqualTo(detail);
  }
}
