package io.kvreactive.value;

import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * Wraps a key so that equals and hashCode are those of JavaScript's Map and Set (ECMA-262,
 * SameValueZero). Numbers are one type, all NaNs are equal, -0 equals 0; a bigint never equals a
 * number.
 */
final class SameValueZero {
  private static final Object NULL = new Object();

  private SameValueZero() {}

  static Object of(@Nullable Object value) {
    if (value == null) {
      return NULL;
    }
    if (value instanceof String || value instanceof Boolean || value instanceof BigInteger) {
      return value;
    }
    if (value instanceof Long n) {
      return BigInteger.valueOf(n);
    }
    if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
      return ((Number) value).doubleValue();
    }
    if (value instanceof Double || value instanceof Float) {
      return ((Number) value).doubleValue() + 0.0; // converts -0.0 to 0.0
    }
    if (value instanceof Character) {
      return value.toString();
    }
    return value instanceof Enum<?> ? value : new Identity(value);
  }

  /** Returns the key as a Map or Set stores it: unchanged, except 0 for -0. */
  static @Nullable Object normalized(@Nullable Object value) {
    return value instanceof Double d && d == 0 ? (Object) 0.0 : value;
  }

  private static final class Identity {
    private final Object object;

    Identity(Object object) {
      this.object = object;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // identity is intended
    public boolean equals(@Nullable Object o) {
      return o instanceof Identity other && object == other.object;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(object);
    }
  }
}
