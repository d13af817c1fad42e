package io.kvreactive.internal.mutation;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvU64;
import io.kvreactive.KvValue;
import io.kvreactive.KvValue.Encoding;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.Mutation;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * Sum, min and max. The rules and the wording of mismatches follow Deno KV's reference ({@code
 * denokv/sqlite/backend.rs} and its {@code sum_operand.rs}): LE64 wraps; structured-clone bigints
 * and numbers add without wrapping, within optional bounds; an absent key takes the operand as it
 * is, bounds not applied.
 */
public final class Arithmetic {
  private static final ValueMapper VALUES = new ValueMapper();
  private static final BigInteger U64_LIMIT = BigInteger.ONE.shiftLeft(64);

  private Arithmetic() {}

  public static KvValue min(@Nullable KvValue stored, KvValue operand) {
    KvU64 value = u64(operand, "min");
    KvU64 current = stored == null ? null : storedU64(stored, "min");
    return encode(current == null || value.compareTo(current) < 0 ? value : current);
  }

  public static KvValue max(@Nullable KvValue stored, KvValue operand) {
    KvU64 value = u64(operand, "max");
    KvU64 current = stored == null ? null : storedU64(stored, "max");
    return encode(current == null || value.compareTo(current) > 0 ? value : current);
  }

  public static KvValue sum(@Nullable KvValue stored, Mutation.Sum sum) {
    KvValue operand = sum.operand();
    if (operand.encoding() == Encoding.LE64) {
      long current = stored == null ? 0 : storedU64(stored, "sum").bits();
      return encode(new KvU64(current + decodeU64(operand).bits()));
    }
    Object value = number(operand, "invalid operand of 'sum'");
    Bounds bounds = Bounds.of(sum, value);
    if (stored == null) {
      return VALUES.encode(value);
    }
    if (stored.encoding() == Encoding.LE64) {
      return addToU64(stored, value, bounds);
    }
    Object current = number(stored, "unsupported value type");
    if (current.getClass() != value.getClass()) {
      throw cannotSum(name(current), name(value));
    }
    Object result =
        value instanceof BigInteger big
            ? ((BigInteger) current).add(big)
            : (Object) ((Double) current + (Double) value);
    return VALUES.encode(bounds.apply(result));
  }

  private static KvValue addToU64(KvValue stored, Object value, Bounds bounds) {
    boolean fits =
        value instanceof BigInteger big
            && big.signum() >= 0
            && big.compareTo(U64_LIMIT) < 0
            && bounds.none();
    if (!fits) {
      throw cannotSum("KvU64", name(value));
    }
    return encode(new KvU64(decodeU64(stored).bits() + ((BigInteger) value).longValue()));
  }

  private static KvU64 u64(KvValue operand, String mutation) {
    if (operand.encoding() != Encoding.LE64) {
      throw mismatch("Failed to perform '" + mutation + "' mutation with a non-U64 operand");
    }
    return decodeU64(operand);
  }

  private static KvU64 storedU64(KvValue stored, String mutation) {
    if (stored.encoding() != Encoding.LE64) {
      throw mismatch(
          "Failed to perform '" + mutation + "' mutation on a non-U64 value in the database");
    }
    return decodeU64(stored);
  }

  private static KvU64 decodeU64(KvValue value) {
    KvU64 decoded = VALUES.decode(value, KvU64.class);
    if (decoded == null) {
      throw mismatch("unsupported value type");
    }
    return decoded;
  }

  private static KvValue encode(KvU64 value) {
    return VALUES.encode(value);
  }

  /** A bigint, or any number as a double. */
  private static Object number(KvValue value, String otherwise) {
    Object decoded = null;
    if (value.encoding() == Encoding.V8) {
      try {
        decoded = VALUES.decode(value, Object.class);
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

    /** Double comparison is false for NaN on purpose. */
    private static boolean less(Object a, Object b) {
      return a instanceof BigInteger big
          ? big.compareTo((BigInteger) b) < 0
          : (Double) a < (Double) b;
    }
  }
}
