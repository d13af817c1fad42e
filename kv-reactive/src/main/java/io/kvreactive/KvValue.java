package io.kvreactive;

import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.MergeOperators;
import io.kvreactive.spi.Mutation;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A value as it is stored: an encoding and its bytes. {@code kv.get(key, KvValue.class)} reads a
 * value without decoding it, and {@code set} stores it unchanged.
 *
 * @param encoding the encoding of the bytes
 * @param bytes the encoded value; not copied, must not be changed
 */
public record KvValue(Encoding encoding, byte[] bytes) {
  /** The three encodings of Deno KV, with their numbers on the wire and in its files. */
  public enum Encoding {
    /** V8's structured-clone format. */
    V8(1),
    /** Eight bytes, little-endian, unsigned: {@link KvU64}. */
    LE64(2),
    /** Raw bytes. */
    BYTES(3);

    private final int code;

    Encoding(int code) {
      this.code = code;
    }

    public int code() {
      return code;
    }

    /**
     * Returns the encoding of that number.
     *
     * @throws KvException INVALID_VALUE for any other number than 1, 2 and 3
     */
    public static Encoding of(int code) {
      return switch (code) {
        case 1 -> V8;
        case 2 -> LE64;
        case 3 -> BYTES;
        default ->
            throw new KvException(
                KvErrorCode.INVALID_VALUE, "value encoding: " + code + " (expected: 1, 2 or 3)");
      };
    }
  }

  public KvValue {
    if (encoding == Encoding.LE64 && bytes.length != 8) {
      throw new KvException(
          KvErrorCode.INVALID_VALUE, "LE64 value of " + bytes.length + " bytes (expected: 8)");
    }
  }

  /** Holds the mapper, created on first use because the mapper itself uses this class. */
  private static final class Mapper {
    static final ValueMapper INSTANCE = new ValueMapper();
  }

  /**
   * Encodes a value as {@code Kv.set} does: a {@link KvU64} as LE64, a {@code byte[]} as BYTES,
   * everything else in V8's format.
   *
   * @throws KvException INVALID_VALUE if a part of the value has no structured-clone form, or is
   *     nested too deeply
   */
  public static KvValue of(@Nullable Object value) {
    return Mapper.INSTANCE.encode(value);
  }

  /**
   * Decodes the value as {@code Kv.get} does.
   *
   * @throws KvException UNREADABLE_VALUE if the bytes are not a value of that type
   */
  public <T> @Nullable T as(Class<T> type) {
    return Mapper.INSTANCE.decode(this, type);
  }

  /**
   * Returns the value that a sum, min or max makes of a stored one. For engines that evaluate
   * commits themselves.
   *
   * @param mutation a {@link Mutation.Sum}, {@link Mutation.Min} or {@link Mutation.Max}
   * @param stored the present value of the key, or null if the key is absent
   * @throws KvException TYPE_MISMATCH, OUT_OF_RANGE, LIMIT_EXCEEDED
   */
  public static KvValue merge(Mutation mutation, @Nullable KvValue stored) {
    return MergeOperators.apply(mutation, stored);
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof KvValue v && encoding == v.encoding && Arrays.equals(bytes, v.bytes);
  }

  @Override
  public int hashCode() {
    return 31 * encoding.hashCode() + Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return "KvValue[" + encoding + ", " + bytes.length + " bytes]";
  }
}
