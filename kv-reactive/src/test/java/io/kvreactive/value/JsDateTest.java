package io.kvreactive.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.DateTimeException;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class JsDateTest {
  private static final long MAX = 8_640_000_000_000_000L;

  @Test
  void acceptsTheRangeOfAJavaScriptDate() {
    assertThat(JsDate.of(Instant.ofEpochMilli(MAX))).isEqualTo(new JsDate(8.64e15));
    assertThat(JsDate.of(Instant.ofEpochMilli(-MAX))).isEqualTo(new JsDate(-8.64e15));
    assertThat(JsDate.of(Instant.ofEpochMilli(MAX).plusNanos(999_999)).isValid()).isTrue();
    assertThat(JsDate.of(Instant.ofEpochMilli(-1).plusNanos(1))).isEqualTo(new JsDate(-1));
  }

  @Test
  void rejectsDatesOutOfRange() {
    for (Instant beyond :
        new Instant[] {
          Instant.ofEpochMilli(MAX + 1),
          Instant.ofEpochMilli(MAX + 999),
          Instant.ofEpochMilli(MAX + 1000),
          Instant.ofEpochMilli(-MAX - 1),
          Instant.ofEpochMilli(-MAX).minusNanos(1),
          Instant.MAX,
          Instant.MIN
        }) {
      assertThatThrownBy(() -> JsDate.of(beyond))
          .isInstanceOf(DateTimeException.class)
          .hasMessageContaining(beyond.toString());
    }
  }
}
