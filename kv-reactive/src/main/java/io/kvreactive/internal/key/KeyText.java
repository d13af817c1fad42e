package io.kvreactive.internal.key;

import io.kvreactive.KvException;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HexFormat;

/** Readable form of keys for log lines and messages. Never throws; bounded in length. */
public final class KeyText {
  /** Length in characters from which on no part is started or continued. */
  private static final int ENOUGH = 240;

  private static final int MAX_HEX_BYTES = 64;

  private KeyText() {}

  /**
   * Returns a key such as {@code ["users", 12n, 1.5, true, 0x0104]}, truncated with an ellipsis if
   * it is long.
   */
  public static String key(byte[] encoded) {
    StringBuilder out = new StringBuilder("[");
    TupleReader in = new TupleReader(encoded);
    while (in.hasNext()) {
      if (in.position() > 0) {
        out.append(", ");
      }
      if (out.length() >= ENOUGH) {
        out.append('…');
        break;
      }
      int from = in.position();
      try {
        part(out, in.next());
      } catch (KvException e) {
        out.append("malformed 0x").append(hex(encoded, from, encoded.length));
        break;
      }
    }
    return out.append(']').toString();
  }

  /** Returns a range bound: a key, or a key and the one byte that a range appends. */
  public static String bound(byte[] bytes) {
    if (decodes(bytes)) {
      return key(bytes);
    }
    byte[] shorter = Arrays.copyOf(bytes, bytes.length - 1);
    return decodes(shorter)
        ? key(shorter) + "+" + hex(bytes, shorter.length, bytes.length)
        : "0x" + hex(bytes, 0, bytes.length);
  }

  /** Returns at most 64 bytes in hex, then an ellipsis. */
  static String hex(byte[] bytes, int from, int to) {
    int end = Math.min(to, from + MAX_HEX_BYTES);
    return HexFormat.of().formatHex(bytes, from, end) + (end < to ? "…" : "");
  }

  private static boolean decodes(byte[] bytes) {
    try {
      TupleReader in = new TupleReader(bytes);
      while (in.hasNext()) {
        var unused = in.next();
      }
      return true;
    } catch (KvException e) {
      return false;
    }
  }

  private static void part(StringBuilder out, Object part) {
    if (part instanceof String s) {
      quoted(out, s);
    } else if (part instanceof byte[] b) {
      out.append("0x").append(hex(b, 0, b.length));
    } else if (part instanceof BigInteger n) {
      String digits = n.toString();
      out.append(digits.length() <= ENOUGH ? digits : digits.substring(0, ENOUGH) + "…");
      out.append('n');
    } else if (part instanceof Double d) {
      out.append(number(d));
    } else {
      out.append(part);
    }
  }

  private static String number(double d) {
    if (Double.isNaN(d)) {
      return Double.doubleToRawLongBits(d) < 0 ? "-NaN" : "NaN";
    }
    String text = Double.toString(d);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }

  private static void quoted(StringBuilder out, String s) {
    out.append('"');
    for (int i = 0; i < s.length(); ) {
      if (out.length() >= ENOUGH) {
        out.append('…');
        break;
      }
      int c = s.codePointAt(i);
      i += Character.charCount(c);
      switch (c) {
        case '"', '\\' -> out.append('\\').appendCodePoint(c);
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (Character.isISOControl(c)) {
            out.append("\\u").append(HexFormat.of().toHexDigits((char) c));
          } else {
            out.appendCodePoint(c);
          }
        }
      }
    }
    out.append('"');
  }
}
