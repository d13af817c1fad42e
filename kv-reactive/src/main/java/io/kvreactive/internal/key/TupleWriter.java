package io.kvreactive.internal.key;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A writer of encoded key parts into a growing buffer. A key is the concatenation of its encoded
 * parts. Not thread-safe.
 */
public final class TupleWriter {
  private static final int MAX_LENGTH = Integer.MAX_VALUE - 8;
  static final long NAN_WITHOUT_SIGN = 0x7FF8000000000000L;

  private byte[] buffer;
  private int length;

  public TupleWriter() {
    buffer = new byte[48];
  }

  /** Creates a writer that continues an encoded key, which is copied. */
  public TupleWriter(byte[] encoded) {
    buffer = Arrays.copyOf(encoded, encoded.length + 48);
    length = encoded.length;
  }

  /**
   * Appends a part, encoded by its Java type.
   *
   * @param index the part's position in the key, for messages
   * @throws KvException INVALID_KEY if the type is not supported, or an integer has more than 255
   *     bytes
   */
  public TupleWriter part(@Nullable Object part, int index) {
    if (part instanceof String s) {
      string(s);
    } else if (part instanceof Integer || part instanceof Double) {
      number(((Number) part).doubleValue());
    } else if (part instanceof Long n) {
      bigint(n);
    } else if (part instanceof byte[] b) {
      bytes(b, 0, b.length);
    } else if (part instanceof Boolean b) {
      put(b ? TupleTag.TRUE : TupleTag.FALSE);
    } else if (part instanceof BigInteger n) {
      bigint(n, index);
    } else if (part instanceof ByteBuffer b) {
      byte[] content = new byte[b.remaining()];
      b.duplicate().get(content);
      bytes(content, 0, content.length);
    } else if (part instanceof Float || part instanceof Short || part instanceof Byte) {
      number(((Number) part).doubleValue());
    } else {
      throw unsupported(part, index);
    }
    return this;
  }

  /** Returns the encoded key. */
  public byte[] toBytes() {
    return Arrays.copyOf(buffer, length);
  }

  private void string(String s) {
    int n = s.length();
    reserve(n + 2L);
    put(TupleTag.STRING);
    for (int i = 0; i < n; i++) {
      char c = s.charAt(i);
      if (c < 0x80) {
        put(c);
        if (c == 0) {
          put(TupleTag.ESCAPE);
        }
      } else if (c < 0x800) {
        put(0xC0 | c >> 6);
        put(0x80 | c & 0x3F);
      } else if (!Character.isSurrogate(c)) {
        putThreeByteForm(c);
      } else if (Character.isHighSurrogate(c)
          && i + 1 < n
          && Character.isLowSurrogate(s.charAt(i + 1))) {
        int point = Character.toCodePoint(c, s.charAt(++i));
        put(0xF0 | point >> 18);
        put(0x80 | point >> 12 & 0x3F);
        put(0x80 | point >> 6 & 0x3F);
        put(0x80 | point & 0x3F);
      } else {
        // an unpaired surrogate has no UTF-8; JavaScript engines do the same
        putThreeByteForm(0xFFFD);
      }
    }
    put(0);
  }

  private void putThreeByteForm(int c) {
    put(0xE0 | c >> 12);
    put(0x80 | c >> 6 & 0x3F);
    put(0x80 | c & 0x3F);
  }

  private void bytes(byte[] content, int from, int to) {
    reserve(to - from + 2L);
    put(TupleTag.BYTES);
    for (int i = from; i < to; i++) {
      put(content[i]);
      if (content[i] == 0) {
        put(TupleTag.ESCAPE);
      }
    }
    put(0);
  }

  private void bigint(long n) {
    long magnitude = Math.abs(n); // Long.MIN_VALUE stays 2^63, read as unsigned
    int size = (Long.SIZE - Long.numberOfLeadingZeros(magnitude) + 7) / 8;
    put(TupleTag.ZERO + (n < 0 ? -size : size));
    putBigEndian(n < 0 ? ~magnitude : magnitude, size);
  }

  private void bigint(BigInteger n, int index) {
    if (n.bitLength() < Long.SIZE) {
      bigint(n.longValue());
      return;
    }
    byte[] magnitude = n.abs().toByteArray();
    int from = magnitude[0] == 0 ? 1 : 0;
    int size = magnitude.length - from;
    int complement = n.signum() < 0 ? 0xFF : 0;
    if (size > TupleTag.MAX_INTEGER_BYTES) {
      throw new KvException(
          KvErrorCode.INVALID_KEY,
          "key part " + index + ": integer of " + size + " bytes (expected: at most 255)");
    }
    reserve(size + 2L);
    if (size <= TupleTag.SHORT_FORM_BYTES) {
      put(TupleTag.ZERO + n.signum() * size);
    } else {
      put(n.signum() < 0 ? TupleTag.NEGATIVE_LONG_FORM : TupleTag.POSITIVE_LONG_FORM);
      put(size ^ complement);
    }
    for (int i = from; i < magnitude.length; i++) {
      put(magnitude[i] ^ complement);
    }
  }

  /**
   * Appends a number. Its bits sort correctly after negatives are complemented and the sign of
   * positives is flipped.
   */
  private void number(double d) {
    long bits = Double.doubleToRawLongBits(d);
    if (Double.isNaN(d)) {
      bits = bits & Long.MIN_VALUE | NAN_WITHOUT_SIGN;
    }
    put(TupleTag.DOUBLE);
    putBigEndian(bits < 0 ? ~bits : bits ^ Long.MIN_VALUE, Long.BYTES);
  }

  private void putBigEndian(long bits, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
      put((int) (bits >>> shift));
    }
  }

  private void put(int b) {
    if (length == buffer.length) {
      reserve(1);
    }
    buffer[length++] = (byte) b;
  }

  private void reserve(long more) {
    long needed = length + more;
    if (needed > MAX_LENGTH) {
      throw new KvException(
          KvErrorCode.INVALID_KEY, "key of more than 2^31 bytes (expected: at most 2048)");
    }
    if (needed > buffer.length) {
      buffer = Arrays.copyOf(buffer, (int) Math.min(MAX_LENGTH, Math.max(needed, 2L * length)));
    }
  }

  private static KvException unsupported(@Nullable Object part, int index) {
    String hint = "";
    if (part instanceof UUID || part instanceof Enum<?> || part instanceof CharSequence) {
      hint = "; use its toString()";
    } else if (part instanceof Character) {
      hint = "; use String.valueOf()";
    } else if (part instanceof Iterable<?> || part instanceof Object[]) {
      hint = "; parts do not nest";
    }
    return new KvException(
        KvErrorCode.INVALID_KEY,
        "key part "
            + index
            + ": "
            + (part == null ? "null" : part.getClass().getName())
            + " (expected: byte[], ByteBuffer, String, long, BigInteger, int, short, byte, double,"
            + " float or boolean"
            + hint
            + ")");
  }
}
