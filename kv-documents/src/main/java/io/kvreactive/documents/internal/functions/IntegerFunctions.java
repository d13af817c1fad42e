package io.kvreactive.documents.internal.functions;

import static io.kvreactive.documents.internal.value.Values.UNDEFINED;

import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.List;

/**
 * Functions on 64-bit integers, exact where doubles are not. The result is undefined for a
 * fraction, for arguments or results beyond 64 bits, and for a division by zero. A shift by less
 * than 0 or more than 63 places is undefined too. Bits that a shift pushes out are lost; a shift to
 * the right keeps the sign.
 */
final class IntegerFunctions {
  private static final int MAX_SHIFT = 63;

  private IntegerFunctions() {}

  /** An operation that may throw ArithmeticException. */
  private interface Operation {
    long apply(long a, long b);
  }

  static List<ScalarFunction> all() {
    return List.of(
        of("INTADD", Math::addExact),
        of("INTSUB", Math::subtractExact),
        of("INTMUL", Math::multiplyExact),
        of("INTDIV", IntegerFunctions::divide),
        // the result has the sign of the dividend
        of("INTMOD", (a, b) -> a % b),
        of("INTBITAND", (a, b) -> a & b),
        of("INTBITOR", (a, b) -> a | b),
        of("INTBITXOR", (a, b) -> a ^ b),
        of("INTBITLEFTSHIFT", (a, b) -> a << places(b)),
        of("INTBITRIGHTSHIFT", (a, b) -> a >> places(b)),
        LambdaFunction.of(
            "INTBITNOT",
            1,
            1,
            a -> {
              Long value = IntegerValues.exact(a[0]);
              return value == null ? UNDEFINED : Values.number(~value);
            }));
  }

  private static long divide(long a, long b) {
    if (a == Long.MIN_VALUE && b == -1) {
      throw new ArithmeticException("overflow");
    }
    return a / b;
  }

  private static int places(long shift) {
    if (shift < 0 || shift > MAX_SHIFT) {
      throw new ArithmeticException("shift");
    }
    return (int) shift;
  }

  private static ScalarFunction of(String name, Operation operation) {
    return LambdaFunction.of(
        name,
        2,
        2,
        arguments -> {
          Long a = IntegerValues.exact(arguments[0]);
          Long b = IntegerValues.exact(arguments[1]);
          if (a == null || b == null) {
            return UNDEFINED;
          }
          try {
            return Values.number(operation.apply(a, b));
          } catch (ArithmeticException e) {
            return UNDEFINED;
          }
        });
  }
}
