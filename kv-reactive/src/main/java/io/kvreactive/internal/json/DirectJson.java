package io.kvreactive.internal.json;

import com.fasterxml.jackson.core.io.NumberOutput;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Converts common values from their encoded bytes to JSON directly, without objects and trees:
 * null, booleans, numbers, one-byte strings, arrays and objects of these, encoded exactly as this
 * library encodes them. Any other value is rejected, and the caller must discard what was written.
 * This makes lists several times as fast. Tests compare every result with that of the tree.
 */
final class DirectJson {
  private static final int END = -1;
  private static final int HEADER = 0xFF;
  private static final int MIN_VERSION = 14;
  private static final int MAX_VERSION = 16;
  private static final int MAX_DEPTH = 64; // far below the limit of trees
  private static final int MAX_PROPERTIES = 32; // each name is compared with all names before it

  private final byte[] in;
  private final JsonText out;
  private int at = 2;
  private int depth;

  private DirectJson(byte[] in, JsonText out) {
    this.in = in;
    this.out = out;
  }

  /** Writes a V8 value, or returns false if the value is not a common one. */
  static boolean write(byte[] v8, JsonText out) {
    if (v8.length < 3 || (v8[0] & 0xFF) != HEADER) {
      return false;
    }
    if (v8[1] < MIN_VERSION || v8[1] > MAX_VERSION) {
      return false;
    }
    DirectJson direct = new DirectJson(v8, out);
    return direct.value() && direct.at == v8.length;
  }

  /** Returns the next byte, or {@link #END}. */
  private int next() {
    return at < in.length ? in[at++] & 0xFF : END;
  }

  private boolean value() {
    switch (next()) {
      case '0' -> out.ascii("null");
      case 'T' -> out.ascii("true");
      case 'F' -> out.ascii("false");
      case 'I' -> {
        long bits = varint();
        if (bits < 0) {
          return false;
        }
        out.number((int) (bits >>> 1) ^ -(int) (bits & 1));
      }
      case 'N' -> {
        return number();
      }
      case '"' -> {
        return string(false);
      }
      case 'o' -> {
        return object();
      }
      case 'A' -> {
        return array();
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  /** Returns a varint of up to 32 bits in its shortest form, or -1. */
  private long varint() {
    long value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      int octet = next();
      if (octet == END) {
        return -1;
      }
      value |= (octet & 0x7FL) << shift;
      if ((octet & 0x80) == 0) {
        return (shift > 0 && octet == 0) || value > 0xFFFF_FFFFL ? -1 : value;
      }
    }
    return -1;
  }

  private boolean number() {
    if (in.length - at < Double.BYTES) {
      return false;
    }
    double number = ByteBuffer.wrap(in).order(ByteOrder.LITTLE_ENDIAN).getDouble(at);
    at += Double.BYTES;
    if (!Double.isFinite(number) || number == 0) {
      return false; // -0, NaN and the infinities have a notation of their own
    }
    if (number == Math.rint(number) && Math.abs(number) <= 0x1p53 && number != (int) number) {
      out.number((long) number);
    } else {
      out.ascii(NumberOutput.toString(number, true));
    }
    return true;
  }

  /**
   * Writes a string.
   *
   * @param isName true for a property name, which must not be empty, be a number or be reserved
   */
  private boolean string(boolean isName) {
    long length = varint();
    if (length < 0 || length > in.length - at) {
      return false;
    }
    int end = at + (int) length;
    if (isName && (length == 0 || in[at] == '$' || in[at] >= '0' && in[at] <= '9')) {
      return false;
    }
    boolean written = out.latin1(in, at, end);
    at = end;
    return written;
  }

  private boolean array() {
    long length = varint();
    if (length < 0 || length > in.length - at || ++depth > MAX_DEPTH) {
      return false;
    }
    out.put('[');
    for (long i = 0; i < length; i++) {
      if (i > 0) {
        out.put(',');
      }
      if (!value()) {
        return false;
      }
    }
    out.put(']');
    depth--;
    return next() == '$' && varint() == 0 && varint() == length;
  }

  private boolean object() {
    if (++depth > MAX_DEPTH) {
      return false;
    }
    int count = 0;
    out.put('{');
    int[] names = new int[MAX_PROPERTIES];
    for (int tag = next(); tag != '{'; tag = next()) {
      if (tag != '"' || count == MAX_PROPERTIES) {
        return false;
      }
      if (count > 0) {
        out.put(',');
      }
      names[count] = at;
      if (!string(true) || isRepeated(names, count)) {
        return false;
      }
      out.put(':');
      if (!value()) {
        return false;
      }
      count++;
    }
    out.put('}');
    depth--;
    return varint() == count;
  }

  /** Returns true if the last name repeats an earlier one. Each name begins with its length. */
  private boolean isRepeated(int[] names, int last) {
    int length = at - names[last];
    for (int i = 0; i < last; i++) {
      int from = names[i];
      if (java.util.Arrays.equals(in, from, from + length, in, names[last], at)) {
        return true;
      }
    }
    return false;
  }
}
