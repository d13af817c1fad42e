package io.kvreactive.internal.json;

/**
 * Converts common keys from their encoded bytes to JSON directly, without decoding parts: strings
 * of ASCII, whole numbers and booleans. Any other key is rejected, and the caller must discard what
 * was written.
 */
final class DirectKey {
  private static final int STRING = 0x02;
  private static final int DOUBLE = 0x21;
  private static final int FALSE = 0x26;
  private static final int TRUE = 0x27;

  private DirectKey() {}

  /** Writes a key, or returns false if the key is not a common one. */
  static boolean write(byte[] key, JsonText out) {
    int at = 0;
    out.put('[');
    while (at < key.length) {
      if (at > 0) {
        out.put(',');
      }
      switch (key[at]) {
        case STRING -> at = string(key, at + 1, out);
        case DOUBLE -> at = number(key, at + 1, out);
        case FALSE, TRUE -> {
          out.ascii(key[at] == TRUE ? "true" : "false");
          at++;
        }
        default -> {
          return false;
        }
      }
      if (at < 0) {
        return false;
      }
    }
    out.put(']');
    return true;
  }

  /** Writes a string and returns the offset after it, or -1. */
  private static int string(byte[] key, int from, JsonText out) {
    for (int end = from; end < key.length; end++) {
      if (key[end] < 0) {
        return -1; // only the tree handles UTF-8
      }
      if (key[end] == 0) {
        boolean escaped = end + 1 < key.length && key[end + 1] == (byte) 0xFF;
        return !escaped && out.latin1(key, from, end) ? end + 1 : -1;
      }
    }
    return -1;
  }

  private static int number(byte[] key, int from, JsonText out) {
    if (key.length - from < Double.BYTES) {
      return -1;
    }
    long bits = 0;
    for (int i = from; i < from + Double.BYTES; i++) {
      bits = bits << 8 | key[i] & 0xFF;
    }
    double number = Double.longBitsToDouble(bits < 0 ? bits ^ Long.MIN_VALUE : ~bits);
    boolean isMinusZero = number == 0 && bits >= 0;
    if (number != Math.rint(number) || Math.abs(number) > 0x1p53 || isMinusZero) {
      return -1;
    }
    out.number((long) number);
    return from + Double.BYTES;
  }
}
