package io.kvreactive.value;

import com.fasterxml.jackson.annotation.JsonValue;
import java.time.DateTimeException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A JavaScript {@code Date}. Reading it as {@code Instant.class} returns the instant instead.
 *
 * @param millis milliseconds since 1970-01-01T00:00Z, a whole number from -8.64e15 to 8.64e15; NaN
 *     for an invalid date
 */
public record JsDate(double millis) {
  private static final double MAX_MILLIS = 8.64e15;

  /**
   * Returns the date of an instant, truncated to milliseconds.
   *
   * @throws DateTimeException if the instant is more than 8.64e15 milliseconds from 1970
   */
  public static JsDate of(Instant instant) {
    boolean isFar = Math.abs((double) instant.getEpochSecond()) * 1000 > MAX_MILLIS;
    JsDate date = new JsDate(isFar ? Double.NaN : instant.toEpochMilli());
    if (!date.isValid()) {
      throw new DateTimeException("out of the range of a JavaScript Date: " + instant);
    }
    return date;
  }

  /**
   * Returns true if this date is valid: false for NaN and for times out of the range of a
   * JavaScript Date.
   */
  public boolean isValid() {
    return Math.abs(millis) <= MAX_MILLIS;
  }

  /**
   * Returns the instant.
   *
   * @throws DateTimeException if not {@linkplain #isValid() valid}
   */
  public Instant instant() {
    if (!isValid()) {
      throw new DateTimeException("invalid JavaScript Date: " + millis + " ms");
    }
    return Instant.ofEpochMilli((long) millis);
  }

  @JsonValue
  private @Nullable String json() {
    return isValid() ? toString() : null; // as JSON.stringify does
  }

  /** Returns the date in ISO-8601, or "Invalid Date". */
  @Override
  public String toString() {
    return isValid() ? instant().toString() : "Invalid Date";
  }
}
