package io.kvreactive.documents.internal.value;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of values, and factories of the values that functions return.
 *
 * <p>All numbers are IEEE doubles here, however exactly an item keeps them: 9007199254740993 equals
 * 9007199254740992. NaN equals itself and is greater than every other number, as in index keys, so
 * that {@code NOT (a < b)} is {@code a >= b} for every two numbers. −0 equals 0.
 */
public final class Values {
  /**
   * The undefined value, which stands for absent members. Undefined is not JSON: an undefined
   * member is left out, and most operators and functions return undefined if an operand is
   * undefined. {@link #NULL} is another value.
   */
  public static final JsonNode UNDEFINED = MissingNode.getInstance();

  public static final JsonNode NULL = NullNode.getInstance();
  public static final JsonNode TRUE = BooleanNode.TRUE;
  public static final JsonNode FALSE = BooleanNode.FALSE;
  public static final JsonNode EMPTY_TEXT = TextNode.valueOf("");

  /** Magnitude up to which doubles represent all integers. */
  private static final double EXACT = 0x1p53;

  private static final int CACHE_FROM = -128;
  private static final int CACHE_TO = 1024;
  private static final JsonNode[] CACHE = cache();

  private Values() {}

  private static JsonNode[] cache() {
    JsonNode[] nodes = new JsonNode[CACHE_TO - CACHE_FROM];
    for (int i = 0; i < nodes.length; i++) {
      nodes[i] = IntNode.valueOf(CACHE_FROM + i);
    }
    return nodes;
  }

  /** Returns a text, a boolean or a number as an object of Java, and null for every other value. */
  public static @Nullable Object scalar(JsonNode value) {
    return value.isTextual()
        ? value.textValue()
        : value.isBoolean()
            ? (Object) value.booleanValue()
            : value.isNumber() ? value.numberValue() : null;
  }

  /**
   * Compares values by the total order of MIN and MAX: undefined &lt; null &lt; false &lt; true
   * &lt; numbers &lt; texts (by UTF-16 code units) &lt; arrays &lt; objects. ORDER BY and index
   * keys use the same order, except among arrays and among objects.
   *
   * <p>Arrays compare by their first different element, then by length. Objects compare in the same
   * way by their members in the order of their names. The result is zero if and only if the values
   * are {@link #equal}.
   */
  public static int compare(JsonNode a, JsonNode b) {
    return ValueOrder.compare(a, b);
  }

  /**
   * Returns true if values are deeply equal, as for {@code =}, IN, DISTINCT and GROUP BY. 1 equals
   * 1.0, the order of members does not matter, and an undefined member equals an absent one.
   */
  public static boolean equal(JsonNode a, JsonNode b) {
    return ValueOrder.equal(a, b);
  }

  /** Returns a hash code, the same for values that are {@link #equal}. */
  public static int hash(JsonNode value) {
    return DeepHash.of(value);
  }

  /**
   * Returns {@code a = b}: undefined if an operand is undefined; values of different types are not
   * equal.
   */
  public static JsonNode isEqual(JsonNode a, JsonNode b) {
    return anyUndefined(a, b) ? UNDEFINED : bool(equal(a, b));
  }

  /** Returns {@code a != b}: undefined if an operand is undefined. */
  public static JsonNode isNotEqual(JsonNode a, JsonNode b) {
    return anyUndefined(a, b) ? UNDEFINED : bool(!equal(a, b));
  }

  /** Returns {@code a < b}: undefined unless both are null, booleans, numbers or texts. */
  public static JsonNode isLess(JsonNode a, JsonNode b) {
    return ordered(a, b) ? bool(compare(a, b) < 0) : UNDEFINED;
  }

  /** Returns {@code a <= b}: undefined unless both are null, booleans, numbers or texts. */
  public static JsonNode isLessOrEqual(JsonNode a, JsonNode b) {
    return ordered(a, b) ? bool(compare(a, b) <= 0) : UNDEFINED;
  }

  /** Returns {@code a > b}: undefined unless both are null, booleans, numbers or texts. */
  public static JsonNode isGreater(JsonNode a, JsonNode b) {
    return ordered(a, b) ? bool(compare(a, b) > 0) : UNDEFINED;
  }

  /** Returns {@code a >= b}: undefined unless both are null, booleans, numbers or texts. */
  public static JsonNode isGreaterOrEqual(JsonNode a, JsonNode b) {
    return ordered(a, b) ? bool(compare(a, b) >= 0) : UNDEFINED;
  }

  /** Returns true only for the boolean {@code true}. */
  public static boolean isTrue(JsonNode value) {
    return value.isBoolean() && value.booleanValue();
  }

  public static boolean isFalse(JsonNode value) {
    return value.isBoolean() && !value.booleanValue();
  }

  /** Returns true for null, a boolean, a number or a text. */
  public static boolean isScalar(JsonNode value) {
    return value.isValueNode() && !value.isMissingNode();
  }

  public static JsonNode bool(boolean value) {
    return value ? TRUE : FALSE;
  }

  public static JsonNode text(String value) {
    return value.isEmpty() ? EMPTY_TEXT : TextNode.valueOf(value);
  }

  /** Returns an exact integer. */
  public static JsonNode number(long value) {
    if (value >= CACHE_FROM && value < CACHE_TO) {
      return CACHE[(int) (value - CACHE_FROM)];
    }
    int small = (int) value;
    return small == value ? IntNode.valueOf(small) : LongNode.valueOf(value);
  }

  /**
   * Returns a number. Whole numbers up to 2^53 become integers, so that they are written without a
   * point.
   */
  public static JsonNode number(double value) {
    if (value == Math.rint(value) && Math.abs(value) <= EXACT) {
      return number((long) value);
    }
    return DoubleNode.valueOf(value);
  }

  private static boolean anyUndefined(JsonNode a, JsonNode b) {
    return a.isMissingNode() || b.isMissingNode();
  }

  private static boolean ordered(JsonNode a, JsonNode b) {
    return isScalar(a) && a.getNodeType() == b.getNodeType();
  }
}
