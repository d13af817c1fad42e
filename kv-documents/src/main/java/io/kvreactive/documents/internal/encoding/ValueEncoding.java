package io.kvreactive.documents.internal.encoding;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Encodes JSON values as bytes whose unsigned order is that of ORDER BY: undefined, null, false,
 * true, numbers as doubles, strings by UTF-16 code unit, arrays, objects. Arrays and objects are
 * encoded as hashes, so that their order is fixed but arbitrary.
 *
 * <p>What follows a value must not begin with 00 or FF: neither an encoded value nor a document id
 * does ({@link DocIds}). A descending value has all its bits inverted.
 *
 * <p>An entry's key becomes a part of a store's key, which encodes each 00 as two bytes. A value
 * never takes more than its budget of such bytes: longer strings are truncated. A truncated string
 * sorts after its remaining text and before all other strings, so that order holds up to equality.
 * The reader learns of the truncation.
 */
public final class ValueEncoding {
  public static final int UNDEFINED = 0x05;
  public static final int NULL = 0x10;
  public static final int FALSE = 0x20;
  public static final int TRUE = 0x21;
  public static final int NUMBER = 0x30;
  public static final int STRING = 0x40;
  public static final int ARRAY = 0x50;
  public static final int OBJECT = 0x60;

  /** A tag above all others. */
  public static final int AFTER_ALL = 0x70;

  /** Offset added to the tag if a 32-byte hash follows. */
  static final int EXACT = 1;

  /** Maximum size of all values of a key, out of the 2048 bytes of a store's key. */
  public static final int KEY_BUDGET = 1600;

  static final int CUT = 0x01;

  /**
   * The tag, a terminator of two bytes, and two bytes by which an escaped NUL may exceed the limit.
   */
  private static final int STRING_OVERHEAD = 5;

  private ValueEncoding() {}

  /** Returns the budget of each of the given number of values in a key. */
  public static int budget(int values) {
    return KEY_BUDGET / Math.max(1, values);
  }

  /** Returns the encoding of one value. */
  public static byte[] encode(JsonNode value, boolean descending, int budget) {
    KeyBuffer out = new KeyBuffer();
    write(out, value, descending, budget, new ContainerHashes());
    return out.toBytes();
  }

  /**
   * Appends a value.
   *
   * @param hashes the hashes of the same item
   * @return true if the bytes determine the value; false for arrays, objects and truncated strings
   */
  public static boolean write(
      KeyBuffer out, JsonNode value, boolean descending, int budget, ContainerHashes hashes) {
    int start = out.size();
    boolean whole = write(out, value, budget, hashes);
    if (descending) {
      out.complement(start);
    }
    return whole;
  }

  private static boolean write(KeyBuffer out, JsonNode value, int budget, ContainerHashes hashes) {
    if (value.isTextual()) {
      return string(out, value.textValue(), stringLimit(budget));
    }
    if (value.isContainerNode()) {
      out.add(value.isArray() ? ARRAY : OBJECT).add(hashes.of(value), 8);
      return false;
    }
    scalar(out, value);
    return true;
  }

  /**
   * Appends a value injectively: different values have different bytes. Values that are too long
   * become a 32-byte hash. The order is not that of values.
   *
   * @param budget the maximum size, at least 70
   */
  public static void writeExact(KeyBuffer out, JsonNode value, int budget, ContainerHashes hashes) {
    int start = out.size();
    if (value.isContainerNode()) {
      out.add((value.isArray() ? ARRAY : OBJECT) + EXACT).add(hashes.of(value));
    } else if (!value.isTextual()) {
      scalar(out, value);
    } else if (!string(out, value.textValue(), stringLimit(budget))) {
      out.truncate(start);
      KeyBuffer text = new KeyBuffer(value.textValue().length() + 16);
      string(text, value.textValue(), Integer.MAX_VALUE);
      out.add(STRING + EXACT).add(Sha256.sha256(text.toBytes()));
    }
  }

  /**
   * Appends the common prefix of all strings with a given start.
   *
   * @return true if the prefix is the whole start; false if it was truncated
   */
  public static boolean writeStart(KeyBuffer out, String start, boolean descending, int budget) {
    int from = out.size();
    boolean whole = content(out.add(STRING), start, stringLimit(budget));
    if (descending) {
      out.complement(from);
    }
    return whole;
  }

  /** Returns the size in bytes of a string's content above which no further byte is added. */
  static int stringLimit(int budget) {
    return budget - STRING_OVERHEAD;
  }

  private static void scalar(KeyBuffer out, JsonNode value) {
    switch (value.getNodeType()) {
      case MISSING -> out.add(UNDEFINED);
      case NULL -> out.add(NULL);
      case BOOLEAN -> out.add(value.booleanValue() ? TRUE : FALSE);
      case NUMBER -> out.add(NUMBER).add(orderedBits(value.doubleValue()), 8);
      default -> throw new IllegalArgumentException("No JSON value: " + value.getNodeType());
    }
  }

  private static long orderedBits(double number) {
    long bits = Double.doubleToLongBits(number == 0 ? 0.0 : number);
    return bits < 0 ? ~bits : bits ^ Long.MIN_VALUE;
  }

  /** Returns the double with the bits written by {@link #scalar}. */
  static double number(long ordered) {
    return Double.longBitsToDouble(ordered < 0 ? ordered ^ Long.MIN_VALUE : ~ordered);
  }

  /**
   * Appends a string as CESU-8, whose order is that of UTF-16 code units, with NUL as 00 FF.
   *
   * <p>The decision to truncate is made before each byte, and depends only on the bytes before. Two
   * strings with equal bytes up to a truncation are therefore truncated at the same position, and
   * the order of all others is decided before.
   *
   * @return true if the string was not truncated
   */
  static boolean string(KeyBuffer out, String text, int limit) {
    out.add(STRING);
    boolean whole = content(out, text, limit);
    out.add(whole ? 0 : CUT);
    return whole;
  }

  /** Appends the bytes between tag and terminator, and returns true if they were not truncated. */
  private static boolean content(KeyBuffer out, String text, int limit) {
    int taken = 0;
    for (int i = 0; i < text.length(); i++) {
      if ((i & 1023) == 1023) {
        checkpoint();
      }
      char c = text.charAt(i);
      int bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
      for (int b = 0; b < bytes; b++) {
        if (taken >= limit) {
          return false;
        }
        if (c == 0) {
          out.add(0).add(0xFF);
          taken += 3;
        } else {
          out.add(cesu(c, bytes, b));
          taken++;
        }
      }
    }
    return true;
  }

  private static int cesu(char c, int bytes, int index) {
    if (bytes == 1) {
      return c;
    }
    int bits = c >> 6 * (bytes - 1 - index);
    if (index > 0) {
      return 0x80 | bits & 0x3F;
    }
    return (bytes == 2 ? 0xC0 : 0xE0) | bits;
  }
}
