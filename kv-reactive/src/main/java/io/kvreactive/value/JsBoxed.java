package io.kvreactive.value;

import com.fasterxml.jackson.annotation.JsonValue;
import java.math.BigInteger;

/**
 * A primitive wrapped in an object, as by {@code new Number(5)} or {@code Object("s")} in
 * JavaScript.
 *
 * @param value a Boolean, Double, BigInteger or String. A Long is converted to a BigInteger, an
 *     Integer or Float to a Double
 */
public record JsBoxed(@JsonValue Object value) {
  /**
   * Wraps a primitive.
   *
   * @throws IllegalArgumentException if the value is of another type
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
