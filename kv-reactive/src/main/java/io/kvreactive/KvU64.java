package io.kvreactive;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.math.BigInteger;

/**
 * An unsigned 64-bit integer value, the operand of {@code sum}, {@code min} and {@code max}. Stored
 * as 8 little-endian bytes. It must be a whole value: inside another value use a {@link
 * BigInteger}.
 *
 * @param bits the 64 bits; read as unsigned
 */
public record KvU64(long bits) implements Comparable<KvU64> {
  private static final BigInteger MAX = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);

  /**
   * Returns the value of a number that is not negative.
   *
   * @throws KvException INVALID_VALUE if negative; use {@link #wrapped} for decrements
   */
  public static KvU64 of(long value) {
    if (value < 0) {
      throw outOfRange(BigInteger.valueOf(value));
    }
    return new KvU64(value);
  }

  /**
   * Returns the value of a number from 0 to 2^64-1.
   *
   * @throws KvException INVALID_VALUE if outside of these bounds
   */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static KvU64 of(BigInteger value) {
    if (value.signum() < 0 || value.compareTo(MAX) > 0) {
      throw outOfRange(value);
    }
    return new KvU64(value.longValue());
  }

  /**
   * Returns the two's complement of a signed number: {@code sum(key, KvU64.wrapped(-1))}
   * decrements.
   */
  public static KvU64 wrapped(long value) {
    return new KvU64(value);
  }

  private static KvException outOfRange(BigInteger value) {
    return new KvException(KvErrorCode.INVALID_VALUE, "KvU64: " + value + " (expected: 0..2^64-1)");
  }

  /** Returns the value as an unsigned number, which is also its JSON. */
  @JsonValue
  public BigInteger value() {
    return new BigInteger(Long.toUnsignedString(bits));
  }

  /**
   * Returns the value as a long.
   *
   * @throws ArithmeticException if the value is 2^63 or more
   */
  public long longValueExact() {
    if (bits < 0) {
      throw new ArithmeticException("KvU64 " + this + " does not fit a long");
    }
    return bits;
  }

  @Override
  public int compareTo(KvU64 other) {
    return Long.compareUnsigned(bits, other.bits);
  }

  /** Returns the value as decimal digits. */
  @Override
  public String toString() {
    return Long.toUnsignedString(bits);
  }
}
