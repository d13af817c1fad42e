package io.kvreactive.documents.internal.functions;

import static io.kvreactive.documents.internal.value.Values.UNDEFINED;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.List;

/** Functions on doubles. Results without a value are NaN or infinite, as in IEEE 754. */
final class MathFunctions {
  private MathFunctions() {}

  static List<ScalarFunction> all() {
    return List.of(
        LambdaFunction.ofNumber("ABS", Math::abs),
        LambdaFunction.ofNumber("ACOS", Math::acos),
        LambdaFunction.ofNumber("ASIN", Math::asin),
        LambdaFunction.ofNumber("ATAN", Math::atan),
        // y is the first argument
        LambdaFunction.ofNumbers("ATN2", Math::atan2),
        LambdaFunction.ofNumber("CEILING", Math::ceil),
        LambdaFunction.ofNumber("COS", Math::cos),
        LambdaFunction.ofNumber("COT", x -> 1 / Math.tan(x)),
        LambdaFunction.ofNumber("DEGREES", Math::toDegrees),
        LambdaFunction.ofNumber("EXP", Math::exp),
        LambdaFunction.ofNumber("FLOOR", Math::floor),
        LambdaFunction.of("LOG", 1, 2, MathFunctions::log),
        LambdaFunction.ofNumber("LOG10", Math::log10),
        LambdaFunction.of("NUMBERBIN", 1, 2, MathFunctions::bin),
        LambdaFunction.of("PI", 0, 0, a -> Values.number(Math.PI)),
        LambdaFunction.ofNumbers("POWER", Math::pow),
        LambdaFunction.ofNumber("RADIANS", Math::toRadians),
        LambdaFunction.varying("RAND", 0, (arguments, context) -> Values.number(context.random())),
        LambdaFunction.ofNumber("ROUND", MathFunctions::round),
        LambdaFunction.ofNumber("SIGN", Math::signum),
        LambdaFunction.ofNumber("SIN", Math::sin),
        LambdaFunction.ofNumber("SQRT", Math::sqrt),
        LambdaFunction.ofNumber("SQUARE", x -> x * x),
        LambdaFunction.ofNumber("TAN", Math::tan),
        LambdaFunction.ofNumber("TRUNC", MathFunctions::truncate));
  }

  private static double truncate(double x) {
    return x < 0 ? Math.ceil(x) : Math.floor(x);
  }

  /** Rounds to the nearest integer, halves away from zero. */
  private static double round(double x) {
    double whole = truncate(x);
    return Math.abs(x - whole) >= 0.5 ? whole + Math.signum(x) : whole;
  }

  private static JsonNode log(JsonNode[] a) {
    if (!a[0].isNumber() || (a.length > 1 && !a[1].isNumber())) {
      return UNDEFINED;
    }
    double log = Math.log(a[0].doubleValue());
    return Values.number(a.length > 1 ? log / Math.log(a[1].doubleValue()) : log);
  }

  /** Returns the nearest multiple of the size below; above for a negative size. */
  private static JsonNode bin(JsonNode[] a) {
    if (!a[0].isNumber() || (a.length > 1 && !a[1].isNumber())) {
      return UNDEFINED;
    }
    double size = a.length > 1 ? a[1].doubleValue() : 1;
    return size == 0 ? UNDEFINED : Values.number(size * Math.floor(a[0].doubleValue() / size));
  }
}
