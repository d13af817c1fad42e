package io.kvreactive.spi;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvU64;
import io.kvreactive.KvValue;
import io.kvreactive.KvValue.Encoding;
import java.math.BigInteger;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The operators sum, min and max. The rules and the messages of mismatches follow Deno KV's
 * reference ({@code denokv/sqlite/backend.rs} and its {@code sum_operand.rs}). LE64 wraps.
 * Structured-clone bigints and numbers add without wrapping, within optional bounds. An absent key
 * is set to the operand, without applying bounds.
 */
public final class MergeOperators {
  private static final BigInteger U64_LIMIT = BigInteger.ONE.shiftLeft(64);

  private MergeOperators() {}

  /**
   * Maximum bytes of a bigint in a sum: operand, bounds, stored number and result. Any bigint that
   * JSON can express (1,000 digits) is shorter. Longer ones would let a small commit make the store
   * thread copy megabytes for each mutation.
   */
  public static final int MAX_BIGINT_BYTES = 1024;

  /** The same as an encoded value, with the header, the tag and the length. */
  private static final int MAX_ENCODED_BYTES = MAX_BIGINT_BYTES + 16;

  private static final int FIRST_TAG = 2;
  private static final byte BIGINT_TAG = 'Z';

  /**
   * Checks the length of the operand and the bounds of a sum, without decoding them.
   *
   * @throws KvException LIMIT_EXCEEDED
   */
  public static void checkLengths(Mutation.Sum sum) {
    checkLength("operand of a sum", sum.operand().bytes());
    checkLength("bound of a sum", sum.min());
    checkLength("bound of a sum", sum.max());
  }

  private static void checkLength(String what, byte @Nullable [] encoded) {
    if (encoded != null && encoded.length > MAX_ENCODED_BYTES) {
      throw tooLong(what + " of " + encoded.length + " bytes", MAX_ENCODED_BYTES);
    }
  }

  private static KvException tooLong(String what, int most) {
    return new KvException(KvErrorCode.LIMIT_EXCEEDED, what + " (expected: at most " + most + ")");
  }

  /**
   * Applies a min, max or sum to a stored value.
   *
   * @param stored the present value of the key, or null if the key is absent
   * @throws KvException TYPE_MISMATCH, OUT_OF_RANGE, LIMIT_EXCEEDED
   */
  public static KvValue apply(Mutation mutation, @Nullable KvValue stored) {
    return encode(change(mutation, stored == null ? null : decode(mutation, stored)));
  }

  /**
   * Decodes a stored value for a min, max or sum.
   *
   * @return a KvU64, a BigInteger or a Double
   * @throws KvException TYPE_MISMATCH if the value is none of them, or of a kind that the mutation
   *     does not support; LIMIT_EXCEEDED for a bigint of more than {@link #MAX_BIGINT_BYTES}
   */
  static Object decode(Mutation mutation, KvValue stored) {
    if (stored.encoding() == Encoding.LE64) {
      return decodeU64(stored);
    }
    if (!(mutation instanceof Mutation.Sum sum) || sum.operand().encoding() == Encoding.LE64) {
      throw notU64(mutation);
    }
    byte[] bytes = stored.bytes();
    if (bytes.length > MAX_ENCODED_BYTES
        && stored.encoding() == Encoding.V8
        && bytes[FIRST_TAG] == BIGINT_TAG) {
      throw tooLong("stored bigint of " + bytes.length + " bytes", MAX_ENCODED_BYTES);
    }
    if (bytes.length > MAX_ENCODED_BYTES) { // too long for a number, and slow to decode
      throw mismatch("unsupported value type");
    }
    return number(stored, "unsupported value type");
  }

  /**
   * Applies a min, max or sum to a decoded number.
   *
   * @param current the result of {@link #decode} or of this method, or null for an absent value
   * @return a KvU64, a BigInteger or a Double
   * @throws KvException TYPE_MISMATCH, OUT_OF_RANGE, LIMIT_EXCEEDED
   */
  static Object change(Mutation mutation, @Nullable Object current) {
    return switch (mutation.kind()) {
      case SUM -> sum((Mutation.Sum) mutation, current);
      case MIN, MAX -> smallerOrLarger(mutation, current);
      case SET, SET_VERSIONSTAMPED, TOUCH, DELETE, DELETE_RANGE ->
          throw new IllegalArgumentException(mutation.kind() + " (expected: SUM, MIN or MAX)");
    };
  }

  private static Object smallerOrLarger(Mutation mutation, @Nullable Object current) {
    KvU64 value = u64(Objects.requireNonNull(mutation.value()), name(mutation));
    if (current == null) {
      return value;
    }
    if (!(current instanceof KvU64 number)) {
      throw notU64(mutation);
    }
    int order = value.compareTo(number);
    return (mutation instanceof Mutation.Min ? order < 0 : order > 0) ? value : number;
  }

  private static Object sum(Mutation.Sum sum, @Nullable Object current) {
    KvValue operand = sum.operand();
    if (operand.encoding() == Encoding.LE64) {
      if (current != null && !(current instanceof KvU64)) {
        throw notU64(sum);
      }
      long before = current == null ? 0 : ((KvU64) current).bits();
      return new KvU64(before + decodeU64(operand).bits());
    }
    Object value = number(operand, "invalid operand of 'sum'");
    Bounds bounds = Bounds.of(sum, value);
    if (current == null) {
      return value;
    }
    if (current instanceof KvU64 number) {
      return addToU64(number, value, bounds);
    }
    if (current.getClass() != value.getClass()) {
      throw cannotSum(name(current), name(value));
    }
    return value instanceof BigInteger big
        ? bounded((BigInteger) bounds.apply(((BigInteger) current).add(big)))
        : bounds.apply((Double) current + (Double) value);
  }

  private static BigInteger bounded(BigInteger sum) {
    if (sum.bitLength() > MAX_BIGINT_BYTES * Byte.SIZE) {
      throw tooLong("sum of " + (sum.bitLength() + 7) / Byte.SIZE + " bytes", MAX_BIGINT_BYTES);
    }
    return sum;
  }

  private static KvU64 addToU64(KvU64 stored, Object value, Bounds bounds) {
    boolean fits =
        value instanceof BigInteger big
            && big.signum() >= 0
            && big.compareTo(U64_LIMIT) < 0
            && bounds.none();
    if (!fits) {
      throw cannotSum("KvU64", name(value));
    }
    return new KvU64(stored.bits() + ((BigInteger) value).longValue());
  }

  private static KvU64 u64(KvValue operand, String mutation) {
    if (operand.encoding() != Encoding.LE64) {
      throw mismatch("Failed to perform '" + mutation + "' mutation with a non-U64 operand");
    }
    return decodeU64(operand);
  }

  private static KvException notU64(Mutation mutation) {
    return mismatch(
        "Failed to perform '" + name(mutation) + "' mutation on a non-U64 value in the database");
  }

  private static String name(Mutation mutation) {
    return mutation.kind().name().toLowerCase(Locale.ROOT);
  }

  private static KvU64 decodeU64(KvValue value) {
    KvU64 decoded = value.as(KvU64.class);
    if (decoded == null) {
      throw mismatch("unsupported value type");
    }
    return decoded;
  }

  /** Encodes a KvU64, a BigInteger or a Double. */
  static KvValue encode(Object number) {
    return KvValue.of(number);
  }

  /** Returns a bigint as is, and any other number as a double. */
  private static Object number(KvValue value, String otherwise) {
    Object decoded = null;
    if (value.encoding() == Encoding.V8) {
      try {
        decoded = value.as(Object.class);
      } catch (KvException e) {
        throw new KvException(KvErrorCode.TYPE_MISMATCH, otherwise, e);
      }
    }
    if (decoded instanceof BigInteger) {
      return decoded;
    }
    if (decoded instanceof Integer || decoded instanceof Double) {
      return ((Number) decoded).doubleValue();
    }
    throw mismatch(otherwise + " (expected: a KvU64, a BigInt or a Number)");
  }

  private static String name(Object number) {
    return number instanceof BigInteger ? "BigInt" : "Number";
  }

  private static KvException cannotSum(String stored, String operand) {
    return mismatch("Cannot sum " + stored + " with " + operand);
  }

  private static KvException mismatch(String message) {
    return new KvException(KvErrorCode.TYPE_MISMATCH, message);
  }

  /** The bounds of a sum, of the operand's kind. */
  private record Bounds(@Nullable Object min, @Nullable Object max, boolean clamp) {
    static Bounds of(Mutation.Sum sum, Object operand) {
      return new Bounds(bound(sum.min(), operand), bound(sum.max(), operand), sum.clamp());
    }

    private static @Nullable Object bound(byte @Nullable [] encoded, Object operand) {
      if (encoded == null || encoded.length == 0) {
        return null;
      }
      Object bound = number(new KvValue(Encoding.V8, encoded), "invalid bound of 'sum'");
      if (bound.getClass() != operand.getClass()) {
        throw cannotSum(name(operand), name(bound));
      }
      return bound;
    }

    boolean none() {
      return min == null && max == null && !clamp;
    }

    Object apply(Object sum) {
      Object bounded = min != null && less(sum, min) ? limited(min) : sum;
      return max != null && less(max, bounded) ? limited(max) : bounded;
    }

    private Object limited(Object bound) {
      if (!clamp) {
        throw new KvException(
            KvErrorCode.OUT_OF_RANGE,
            "The result of a Sum operation would exceed its range limit (expected: "
                + min
                + ".."
                + max
                + ")");
      }
      return bound;
    }

    /** Returns true if a is less than b; comparisons with NaN are false on purpose. */
    private static boolean less(Object a, Object b) {
      return a instanceof BigInteger big
          ? big.compareTo((BigInteger) b) < 0
          : (Double) a < (Double) b;
    }
  }
}
