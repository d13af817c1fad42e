package io.kvreactive.internal.value;

import java.math.BigDecimal;

/**
 * Property names that JavaScript treats as numbers: array indexes, "0" to "4294967294", in
 * canonical decimal form. V8 stores them as numbers and all others as strings.
 */
final class PropertyKeys {
  static final long NO_INDEX = -1;
  static final long MAX_INDEX = 0xFFFF_FFFEL;

  private PropertyKeys() {}

  /** Returns the array index of this name, or {@link #NO_INDEX}. */
  static long index(String name) {
    int length = name.length();
    if (length == 0 || length > 10) {
      return NO_INDEX;
    }
    char first = name.charAt(0);
    if (first == '0') {
      return length == 1 ? 0 : NO_INDEX;
    }
    long value = 0;
    for (int i = 0; i < length; i++) {
      int digit = name.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return NO_INDEX;
      }
      value = value * 10 + digit;
    }
    return value <= MAX_INDEX ? value : NO_INDEX;
  }

  /** Writes a name as V8 does. */
  static void write(V8Output out, String name) {
    long index = index(name);
    if (index == NO_INDEX) {
      out.string(name);
    } else {
      writeIndex(out, index);
    }
  }

  static void writeIndex(V8Output out, long index) {
    if (index <= Integer.MAX_VALUE) {
      out.int32((int) index);
    } else {
      out.number((double) index);
    }
  }

  /** Returns the name as which JavaScript uses a number as a property key. */
  static String name(double number) {
    if (number == Math.rint(number) && Math.abs(number) < 1e21) {
      return number == 0 ? "0" : new BigDecimal(number).toPlainString();
    }
    if (Double.isNaN(number) || Double.isInfinite(number)) {
      return Double.toString(number);
    }
    double magnitude = Math.abs(number);
    BigDecimal shortest = new BigDecimal(Double.toString(number)).stripTrailingZeros();
    if (magnitude >= 1e-6 && magnitude < 1e21) {
      return shortest.toPlainString();
    }
    String digits = shortest.unscaledValue().abs().toString();
    int exponent = digits.length() - 1 - shortest.scale();
    return (number < 0 ? "-" : "")
        + digits.charAt(0)
        + (digits.length() == 1 ? "" : "." + digits.substring(1))
        + (exponent < 0 ? "e-" : "e+")
        + Math.abs(exponent);
  }
}
