package io.kvreactive.value;

import java.time.DateTimeException;
import java.time.Instant;

/**
 * A JavaScript {@code Date}. Ask for {@code Instant.class} to get the instant at once.
 *
 * @param millis milliseconds since 1970-01-01T00:00Z, a whole number from -8.64e15 to 8.64e15; NaN
 *     for an invalid date
 */
public record JsDate(double millis) {
  private static final double MAX_MILLIS = 8.64e15;

  /**
   * Returns the date of an instant; what is finer than a millisecond is dropped.
   *
   * @throws DateTimeException when it is more than 8.64e15 milliseconds from 1970
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
   * Returns true if this is a date at all: false for NaN and for what no JavaScript Date can be.
   */
  public boolean isValid() {
    return Math.abs(millis) <= MAX_MILLIS;
  }

  /**
   * Returns the instant.
   *
   * @throws DateTimeException when not {@linkplain #isValid() valid}
   */
  public Instant instant() {
    if (!isValid()) {
      throw new DateTimeException("invalid JavaScript Date: " + millis + " ms");
    }
    return Instant.ofEpochMilli((long) millis);
  }

  /** ISO-8601, or "Invalid Date". */
  @Override
  public String toString() {
    return isValid() ? instant().toString() : "Invalid Date";
  }
}
