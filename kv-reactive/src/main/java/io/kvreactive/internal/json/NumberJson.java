package io.kvreactive.internal.json;

import com.fasterxml.jackson.core.io.NumberOutput;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** JSON of numbers and bigints. */
final class NumberJson {
  /** Maximum number of digits of a bigint. The time to parse one grows with their square. */
  static final int MAX_DIGITS = 1000;

  private static final int BITS_OF_MAX_DIGITS = 3321;
  private static final double MAX_SAFE = 0x1p53;
  private static final Pattern BIGINT =
      Pattern.compile("0|-?[1-9][0-9]{0," + (MAX_DIGITS - 1) + "}");
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private NumberJson() {}

  /**
   * Returns the JSON of a double in a value, where ints exist too: a whole number in the range of
   * an int has a point.
   */
  static JsonNode toJson(double number) {
    return number == (int) number && nameOf(number) == null
        ? JSON.numberNode(number)
        : toPlainJson(number);
  }

  /**
   * Returns the JSON of a double in a key, where all numbers are doubles: a whole number up to 2^53
   * has no point.
   */
  static JsonNode toPlainJson(double number) {
    String name = nameOf(number);
    if (name != null) {
      return JsonTag.NUMBER.with(name);
    }
    return number == Math.rint(number) && Math.abs(number) <= MAX_SAFE
        ? JSON.numberNode((long) number)
        : JSON.numberNode(number);
  }

  /**
   * Returns the name of a number that JSON cannot express, or null. Of a NaN only the sign is kept.
   */
  private static @Nullable String nameOf(double number) {
    if (Double.isNaN(number)) {
      return Double.doubleToRawLongBits(number) < 0 ? "-NaN" : "NaN";
    }
    if (Double.isInfinite(number)) {
      return number < 0 ? "-Infinity" : "Infinity";
    }
    return number == 0 && Double.doubleToRawLongBits(number) < 0 ? "-0" : null;
  }

  /** Returns the number that a payload of {@code $number} names. */
  static double named(JsonNode payload, JsonPosition at) {
    return switch (payload.asText()) {
      case "NaN" -> Double.NaN;
      case "-NaN" -> Double.longBitsToDouble(0xFFF8000000000000L);
      case "Infinity" -> Double.POSITIVE_INFINITY;
      case "-Infinity" -> Double.NEGATIVE_INFINITY;
      case "-0" -> -0.0;
      default ->
          throw at.invalid(
              payload, "\"NaN\", \"-NaN\", \"Infinity\", \"-Infinity\" or \"-0\" in $number");
    };
  }

  /** Returns an Integer if the number is written as a whole number and fits, else a Double. */
  static Object read(JsonNode number, JsonPosition at) {
    return number.isIntegralNumber() && number.canConvertToInt()
        ? (Object) number.intValue()
        : float64(number, at);
  }

  /**
   * Returns the double of a JSON number. A whole number must be exact, so that no digit of an id is
   * lost.
   */
  static double float64(JsonNode number, JsonPosition at) {
    double value = number.doubleValue();
    if (!Double.isFinite(value)) {
      throw at.invalid(number, "a number that fits a double; {\"$number\":\"Infinity\"}");
    }
    if (number.isIntegralNumber() && Math.abs(value) >= MAX_SAFE) {
      BigInteger exact = number.bigIntegerValue();
      if (!exact.equals(new BigDecimal(value).toBigInteger()) && !exact.equals(asPrinted(value))) {
        throw at.invalid(number, "a whole number that a double holds exactly; {\"$bigint\":\"…\"}");
      }
    }
    return value;
  }

  /** Returns the value of a double's shortest digits, which JavaScript pads with zeros. */
  private static BigInteger asPrinted(double value) {
    return new BigDecimal(NumberOutput.toString(value, true)).toBigInteger();
  }

  /** Returns the JSON of a bigint, or null if it has too many digits. */
  static @Nullable JsonNode toJson(BigInteger number) {
    return number.bitLength() > BITS_OF_MAX_DIGITS ? null : JsonTag.BIGINT.with(number.toString());
  }

  static BigInteger bigint(JsonNode payload, JsonPosition at) {
    if (!payload.isTextual() || !BIGINT.matcher(payload.textValue()).matches()) {
      throw at.invalid(payload, "a string of 1 to " + MAX_DIGITS + " decimal digits");
    }
    return new BigInteger(payload.textValue());
  }
}
