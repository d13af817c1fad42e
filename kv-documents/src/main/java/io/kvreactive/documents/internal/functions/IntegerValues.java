package io.kvreactive.documents.internal.functions;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** Conversions of numbers to integers. */
final class IntegerValues {
  private static final double TWO_63 = 0x1p63;
  private static final int LONG_DIGITS = 19;

  private IntegerValues() {}

  /** Returns the number as an exact 64-bit integer, or null if it is not one. */
  static @Nullable Long exact(JsonNode value) {
    if (!value.isNumber()) {
      return null;
    }
    return switch (value.numberType()) {
      case INT, LONG -> value.longValue();
      case BIG_INTEGER -> value.canConvertToLong() ? (Long) value.longValue() : null;
      case BIG_DECIMAL -> exact(value.decimalValue());
      default -> exact(value.doubleValue());
    };
  }

  private static @Nullable Long exact(double value) {
    return value == Math.rint(value) && value >= -TWO_63 && value < TWO_63
        ? (Long) (long) value
        : null;
  }

  private static @Nullable Long exact(BigDecimal value) {
    if (value.signum() == 0) {
      return 0L;
    }
    // before zeros are stripped and the value is computed, because an exponent may be huge
    if ((long) value.precision() - value.scale() > LONG_DIGITS) {
      return null;
    }
    BigDecimal plain = value.stripTrailingZeros();
    if (plain.scale() > 0) {
      return null;
    }
    try {
      return plain.longValueExact();
    } catch (ArithmeticException e) {
      return null;
    }
  }

  /**
   * Returns a count or position, truncated to a whole number and limited to the range of int.
   * Returns null for NaN and for values that are not numbers.
   */
  static @Nullable Integer count(JsonNode value) {
    if (!value.isNumber()) {
      return null;
    }
    double number = value.doubleValue();
    return Double.isNaN(number) ? null : (Integer) (int) number;
  }
}
