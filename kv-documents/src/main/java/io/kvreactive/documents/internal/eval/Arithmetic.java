package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.functions.FunctionLimitException;
import io.kvreactive.documents.internal.sql.ast.Expr.BinaryOp;
import io.kvreactive.documents.internal.value.Values;

/**
 * Operators on numbers and texts. Operands of other types give undefined. Bitwise operators work on
 * 32-bit integers, as in JavaScript.
 */
final class Arithmetic {
  private Arithmetic() {}

  static JsonNode binary(BinaryOp op, JsonNode a, JsonNode b) {
    if (op == BinaryOp.CONCAT) {
      return a.isTextual() && b.isTextual()
          ? concat(a.textValue(), b.textValue())
          : Values.UNDEFINED;
    }
    if (!a.isNumber() || !b.isNumber()) {
      return Values.UNDEFINED;
    }
    double x = a.doubleValue();
    double y = b.doubleValue();
    return switch (op) {
      case ADD -> Values.number(x + y);
      case SUBTRACT -> Values.number(x - y);
      case MULTIPLY -> Values.number(x * y);
      case DIVIDE -> Values.number(x / y);
      case REMAINDER -> Values.number(x % y);
      case BIT_AND -> Values.number((long) (bits(x) & bits(y)));
      case BIT_OR -> Values.number((long) (bits(x) | bits(y)));
      case BIT_XOR -> Values.number((long) (bits(x) ^ bits(y)));
      case SHIFT_LEFT -> Values.number((long) (bits(x) << bits(y)));
      case SHIFT_RIGHT -> Values.number((long) (bits(x) >> bits(y)));
      case SHIFT_RIGHT_ZERO -> Values.number(Integer.toUnsignedLong(bits(x) >>> bits(y)));
      default -> throw new IllegalArgumentException("no arithmetic: " + op);
    };
  }

  static JsonNode minus(JsonNode a) {
    return a.isNumber() ? Values.number(-a.doubleValue()) : Values.UNDEFINED;
  }

  static JsonNode plus(JsonNode a) {
    return a.isNumber() ? a : Values.UNDEFINED;
  }

  static JsonNode bitNot(JsonNode a) {
    return a.isNumber() ? Values.number((long) ~bits(a.doubleValue())) : Values.UNDEFINED;
  }

  /** Returns a number modulo 2^32; 0 for numbers that are not finite. */
  private static int bits(double number) {
    return Double.isFinite(number) ? (int) (long) (number % 0x1p32) : 0;
  }

  private static JsonNode concat(String a, String b) {
    FunctionLimitException.checkResult("||", (long) a.length() + b.length());
    return Values.text(a + b);
  }
}
