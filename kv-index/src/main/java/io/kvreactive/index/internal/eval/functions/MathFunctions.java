package io.kvreactive.index.internal.eval.functions;

import static io.kvreactive.index.internal.value.Values.UNDEFINED;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.internal.value.Values;
import io.kvreactive.index.spi.ScalarFunction;
import java.util.List;

/** Functions of doubles: what has no result is NaN or infinite, as in IEEE 754. */
final class MathFunctions {
  private MathFunctions() {}

  static List<ScalarFunction> all() {
    return List.of(
        Fn.ofNumber("ABS", Math::abs),
        Fn.ofNumber("ACOS", Math::acos),
        Fn.ofNumber("ASIN", Math::asin),
        Fn.ofNumber("ATAN", Math::atan),
        // y first
        Fn.ofNumbers("ATN2", Math::atan2),
        Fn.ofNumber("CEILING", Math::ceil),
        Fn.ofNumber("COS", Math::cos),
        Fn.ofNumber("COT", x -> 1 / Math.tan(x)),
        Fn.ofNumber("DEGREES", Math::toDegrees),
        Fn.ofNumber("EXP", Math::exp),
        Fn.ofNumber("FLOOR", Math::floor),
        Fn.of("LOG", 1, 2, MathFunctions::log),
        Fn.ofNumber("LOG10", Math::log10),
        Fn.of("NUMBERBIN", 1, 2, MathFunctions::bin),
        Fn.of("PI", 0, 0, a -> Values.number(Math.PI)),
        Fn.ofNumbers("POWER", Math::pow),
        Fn.ofNumber("RADIANS", Math::toRadians),
        Fn.varying("RAND", 0, (arguments, context) -> Values.number(context.random())),
        Fn.ofNumber("ROUND", MathFunctions::round),
        Fn.ofNumber("SIGN", Math::signum),
        Fn.ofNumber("SIN", Math::sin),
        Fn.ofNumber("SQRT", Math::sqrt),
        Fn.ofNumber("SQUARE", x -> x * x),
        Fn.ofNumber("TAN", Math::tan),
        Fn.ofNumber("TRUNC", MathFunctions::truncate));
  }

  private static double truncate(double x) {
    return x < 0 ? Math.ceil(x) : Math.floor(x);
  }

  /** Halves away from zero. */
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

  /** The multiple of the size below; a negative size gives the one above. */
  private static JsonNode bin(JsonNode[] a) {
    if (!a[0].isNumber() || (a.length > 1 && !a[1].isNumber())) {
      return UNDEFINED;
    }
    double size = a.length > 1 ? a[1].doubleValue() : 1;
    return size == 0 ? UNDEFINED : Values.number(size * Math.floor(a[0].doubleValue() / size));
  }
}
