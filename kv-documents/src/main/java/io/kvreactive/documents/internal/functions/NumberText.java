package io.kvreactive.documents.internal.functions;

import com.fasterxml.jackson.core.io.NumberOutput;
import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;

/**
 * Formats numbers as the shortest text that denotes the same double, in the form of JavaScript:
 * 1.50 is 1.5, and 1e21 is 1e+21. Numbers from 0.000001 to below 1e21 have no exponent. 64-bit
 * integers keep all their digits.
 */
final class NumberText {
  /** Exponent of the smallest power of 10 that is written with an exponent. */
  private static final int MAX_PLAIN = 21;

  /** Maximum number of zeros after the point. */
  private static final int MAX_ZEROS = 6;

  private NumberText() {}

  static String of(JsonNode number) {
    Long integer = number.isIntegralNumber() ? IntegerValues.exact(number) : null;
    return integer != null ? Long.toString(integer) : of(number.doubleValue());
  }

  private static String of(double number) {
    if (!Double.isFinite(number)) {
      return Double.toString(number);
    }
    if (number == 0) {
      return "0";
    }
    BigDecimal shortest = new BigDecimal(NumberOutput.toString(number, true)).stripTrailingZeros();
    // 0.point digits: the position of the point relative to the first digit
    int point = shortest.precision() - shortest.scale();
    if (point > MAX_PLAIN || point <= -MAX_ZEROS) {
      return exponential(shortest, point - 1);
    }
    return shortest.toPlainString();
  }

  private static String exponential(BigDecimal shortest, int exponent) {
    String digits = shortest.unscaledValue().abs().toString();
    return (shortest.signum() < 0 ? "-" : "")
        + digits.charAt(0)
        + (digits.length() > 1 ? "." + digits.substring(1) : "")
        + (exponent < 0 ? "e-" : "e+")
        + Math.abs(exponent);
  }
}
