package io.kvreactive.internal.key;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A reader of encoded key parts. The bytes are not trusted: the only exception is INVALID_KEY with
 * the offset. Integers need not be minimal. Not thread-safe.
 */
public final class TupleReader {
  private static final long INFINITY = 0x7FF0000000000000L;

  private final byte[] encoded;
  private int at;

  public TupleReader(byte[] encoded) {
    this.encoded = encoded;
  }

  public boolean hasNext() {
    return at < encoded.length;
  }

  /** Returns the offset of the next part. */
  public int position() {
    return at;
  }

  /**
   * Decodes the next part: a fresh {@code byte[]}, String, BigInteger, Double or Boolean.
   *
   * @throws KvException INVALID_KEY if malformed
   */
  public Object next() {
    int from = at;
    skip();
    int tag = encoded[from] & 0xFF;
    return switch (tag) {
      case TupleTag.BYTES -> unescape(from + 1, at - 1);
      case TupleTag.STRING -> string(from + 1, at - 1);
      case TupleTag.DOUBLE -> number(from + 1);
      case TupleTag.FALSE -> false;
      case TupleTag.TRUE -> true;
      case TupleTag.NEGATIVE_LONG_FORM, TupleTag.POSITIVE_LONG_FORM ->
          bigint(tag < TupleTag.ZERO, from + 2, at);
      default -> bigint(tag < TupleTag.ZERO, from + 1, at);
    };
  }

  /**
   * Skips the next part without decoding it. Does not detect text that is not UTF-8.
   *
   * @throws KvException INVALID_KEY if the end of the part cannot be found
   */
  public void skip() {
    if (!hasNext()) {
      throw malformed(at, "the end", "a part");
    }
    int tag = encoded[at] & 0xFF;
    switch (tag) {
      case TupleTag.BYTES, TupleTag.STRING -> at = terminator(at + 1) + 1;
      case TupleTag.DOUBLE -> advance(1 + Double.BYTES);
      case TupleTag.FALSE, TupleTag.TRUE -> at++;
      case TupleTag.NEGATIVE_LONG_FORM -> advance(2 + (longFormSize() ^ 0xFF));
      case TupleTag.POSITIVE_LONG_FORM -> advance(2 + longFormSize());
      default -> {
        int size = Math.abs(tag - TupleTag.ZERO);
        if (size > TupleTag.SHORT_FORM_BYTES) {
          throw malformed(at, "tag 0x" + KeyText.hex(encoded, at, at + 1), "a key part's tag");
        }
        advance(1 + size);
      }
    }
  }

  /**
   * Returns true if the bytes equal those that {@link TupleWriter} writes for the decoded parts.
   */
  public static boolean isCanonical(byte[] encoded) {
    TupleReader in = new TupleReader(encoded);
    try {
      while (in.hasNext()) {
        if (!in.skipCanonical()) {
          return false;
        }
      }
      return true;
    } catch (KvException e) {
      return false;
    }
  }

  private boolean skipCanonical() {
    int from = at;
    skip();
    int tag = encoded[from] & 0xFF;
    byte leadingZero = (byte) (tag < TupleTag.ZERO ? 0xFF : 0);
    return switch (tag) {
      case TupleTag.BYTES, TupleTag.FALSE, TupleTag.TRUE, TupleTag.ZERO -> true;
      case TupleTag.STRING -> isAscii(from + 1, at - 1) || !string(from + 1, at - 1).isEmpty();
      case TupleTag.DOUBLE -> isCanonicalNumber(bits(from + 1));
      case TupleTag.NEGATIVE_LONG_FORM, TupleTag.POSITIVE_LONG_FORM ->
          at - from - 2 > TupleTag.SHORT_FORM_BYTES && encoded[from + 2] != leadingZero;
      default -> encoded[from + 1] != leadingZero;
    };
  }

  private boolean isAscii(int from, int to) {
    for (int i = from; i < to; i++) {
      if (encoded[i] < 0 && encoded[i - 1] != 0) { // after a zero byte, this is the escape
        return false;
      }
    }
    return true;
  }

  private static boolean isCanonicalNumber(long bits) {
    boolean isNaN = (bits & Long.MAX_VALUE) > INFINITY;
    return !isNaN || (bits & Long.MAX_VALUE) == TupleWriter.NAN_WITHOUT_SIGN;
  }

  private void advance(int size) {
    if (encoded.length - at < size) {
      throw malformed(at, encoded.length - at + " bytes left", "a part of " + size);
    }
    at += size;
  }

  private int longFormSize() {
    if (encoded.length - at < 2) {
      throw malformed(at, "the end", "an integer's length");
    }
    return encoded[at + 1] & 0xFF;
  }

  /** Returns the offset of the first zero byte that is not escaped. */
  private int terminator(int from) {
    for (int i = from; i < encoded.length; i++) {
      if (encoded[i] == 0) {
        if (i + 1 == encoded.length || (encoded[i + 1] & 0xFF) != TupleTag.ESCAPE) {
          return i;
        }
        i++;
      }
    }
    throw malformed(at, "the end", "a terminating zero byte");
  }

  private byte[] unescape(int from, int to) {
    byte[] content = Arrays.copyOfRange(encoded, from, to);
    int length = 0;
    for (int i = 0; i < content.length; i++) {
      content[length++] = content[i];
      if (content[i] == 0) {
        i++; // skips the escape
      }
    }
    return length == content.length ? content : Arrays.copyOf(content, length);
  }

  private String string(int from, int to) {
    byte[] utf8 = unescape(from, to);
    String s = new String(utf8, StandardCharsets.UTF_8);
    if (s.indexOf('\uFFFD') >= 0) { // part of the text, or from the lenient decoder above
      try {
        var unused = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8));
      } catch (CharacterCodingException e) {
        throw malformed(from, "0x" + KeyText.hex(utf8, 0, utf8.length), "UTF-8");
      }
    }
    return s;
  }

  private Double number(int from) {
    return Double.longBitsToDouble(bits(from));
  }

  private long bits(int from) {
    long bits = 0;
    for (int i = from; i < from + Double.BYTES; i++) {
      bits = bits << 8 | encoded[i] & 0xFF;
    }
    return bits < 0 ? bits ^ Long.MIN_VALUE : ~bits;
  }

  private BigInteger bigint(boolean negative, int from, int to) {
    byte[] magnitude = Arrays.copyOfRange(encoded, from, to);
    if (negative) {
      for (int i = 0; i < magnitude.length; i++) {
        magnitude[i] = (byte) ~magnitude[i];
      }
    }
    return new BigInteger(negative ? -1 : 1, magnitude);
  }

  private KvException malformed(int offset, String found, String expected) {
    return new KvException(
        KvErrorCode.INVALID_KEY,
        "byte "
            + offset
            + " of encoded key 0x"
            + KeyText.hex(encoded, 0, encoded.length)
            + ": "
            + found
            + " (expected: "
            + expected
            + ")");
  }
}
