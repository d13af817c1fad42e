package io.kvreactive.value;

import java.math.BigInteger;

/**
 * A primitive wrapped in an object, as {@code new Number(5)} or {@code Object("s")} makes it.
 *
 * @param value a Boolean, Double (of any other number than a Long too: it becomes one), BigInteger
 *     (of a Long too) or String
 */
public record JsBoxed(Object value) {
  /**
   * Wraps a primitive.
   *
   * @throws IllegalArgumentException when the value is none of the above
   */
  public JsBoxed {
    if (value instanceof Long n) {
      value = BigInteger.valueOf(n);
    } else if (value instanceof Integer || value instanceof Float) {
      value = ((Number) value).doubleValue();
    } else if (!(value instanceof Boolean
        || value instanceof Double
        || value instanceof BigInteger
        || value instanceof String)) {
      throw new IllegalArgumentException(
          "boxed: " + value.getClass().getName() + " (expected: boolean, number, bigint, string)");
    }
  }
}
