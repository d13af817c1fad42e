package io.kvreactive.internal.value;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/** Lossless conversions between number types. */
final class Scalars {
  private Scalars() {}

  /**
   * Returns the same number in another type, or null if it does not fit. JavaScript code often does
   * not distinguish {@code 5} and {@code 5n}, so either can be read as either.
   */
  @SuppressWarnings("unchecked") // each branch returns the requested type
  static <T> @Nullable T number(Number value, Class<T> type) {
    if (type == Integer.class || type == int.class) {
      Long whole = whole(value);
      return whole == null || whole.intValue() != whole ? null : (T) (Integer) whole.intValue();
    }
    if (type == Long.class || type == long.class) {
      return (T) whole(value);
    }
    if (type == Double.class || type == double.class) {
      return (T) float64(value);
    }
    if (type == BigInteger.class) {
      return (T) bigInteger(value);
    }
    return null;
  }

  private static @Nullable Long whole(Number value) {
    if (value instanceof Integer || value instanceof Long) {
      return value.longValue();
    }
    if (value instanceof BigInteger n) {
      return n.bitLength() < 64 ? (Long) n.longValue() : null;
    }
    double d = value.doubleValue();
    return d == Math.rint(d) && d >= -0x1p63 && d < 0x1p63 ? (Long) (long) d : null;
  }

  private static @Nullable Double float64(Number value) {
    if (value instanceof BigInteger || value instanceof Long) {
      BigInteger n = value instanceof BigInteger big ? big : BigInteger.valueOf(value.longValue());
      double d = n.doubleValue();
      return !Double.isInfinite(d) && new BigDecimal(d).toBigInteger().equals(n) ? d : null;
    }
    return value.doubleValue();
  }

  private static @Nullable BigInteger bigInteger(Number value) {
    if (value instanceof BigInteger n) {
      return n;
    }
    if (value instanceof Integer || value instanceof Long) {
      return BigInteger.valueOf(value.longValue());
    }
    double d = value.doubleValue();
    return d == Math.rint(d) && !Double.isInfinite(d) ? new BigDecimal(d).toBigInteger() : null;
  }
}
