package io.kvreactive.index.internal.encoding;

import static io.kvreactive.index.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * JSON values as bytes whose unsigned order is that of ORDER BY: undefined, null, false, true,
 * numbers as doubles, strings by UTF-16 code unit, arrays, objects. Arrays and objects are hashes,
 * so their order among themselves is fixed, but means nothing.
 *
 * <p>What follows a value in a key must start with a byte other than 00 and FF; values themselves
 * and {@link DocIds} do. A descending value has all its bits inverted.
 *
 * <p>A key is a part of a store's key, which writes each 00 as two bytes. A value never takes more
 * than its budget of such bytes: strings are cut. A cut string is after its cut text and before all
 * other strings, so order holds up to equality; the reader is told.
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

  /** Higher than all tags. */
  public static final int AFTER_ALL = 0x70;

  /** Added to the tag where a hash of 32 bytes follows. */
  static final int EXACT = 1;

  /** What all values of a key may take of the store's 2048 bytes. */
  public static final int KEY_BUDGET = 1600;

  static final int CUT = 0x01;

  /** The tag, a terminator of two, and two by which an escaped NUL may pass the limit. */
  private static final int STRING_OVERHEAD = 5;

  private ValueEncoding() {}

  /** What each of some values in a key may take. */
  public static int budget(int values) {
    return KEY_BUDGET / Math.max(1, values);
  }

  /** The bytes of one value. */
  public static byte[] encode(JsonNode value, boolean descending, int budget) {
    KeyBuffer out = new KeyBuffer();
    write(out, value, descending, budget, new ContainerHashes());
    return out.toBytes();
  }

  /**
   * Writes a value.
   *
   * @param hashes those of the same item
   * @return whether the bytes tell all of the value: false for arrays, objects and cut strings
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
   * Writes a value so that no two different values have the same bytes: what is too long is a hash
   * of 32 bytes. The order is not that of values.
   *
   * @param budget 70 or more
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
   * Writes what all strings with a start have in common.
   *
   * @return whether that is the start itself; if not, it was cut
   */
  public static boolean writeStart(KeyBuffer out, String start, boolean descending, int budget) {
    int from = out.size();
    boolean whole = content(out.add(STRING), start, stringLimit(budget));
    if (descending) {
      out.complement(from);
    }
    return whole;
  }

  /** What the bytes of a string may take together before one is refused. */
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

  /** The bits of a double from those that {@link #scalar} wrote. */
  static double number(long ordered) {
    return Double.longBitsToDouble(ordered < 0 ? ordered ^ Long.MIN_VALUE : ~ordered);
  }

  /**
   * Writes a string as CESU-8, whose order is that of UTF-16 code units, with NUL as 00 FF.
   *
   * <p>Whether to cut is asked before each byte, and looks only at those before it: so two strings
   * that agree up to a cut are cut at the same place, and the order of all others is decided
   * before.
   *
   * @return whether it was not cut
   */
  static boolean string(KeyBuffer out, String text, int limit) {
    out.add(STRING);
    boolean whole = content(out, text, limit);
    out.add(whole ? 0 : CUT);
    return whole;
  }

  /** Writes the bytes between tag and terminator, and tells whether they were not cut. */
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
