package io.kvreactive.documents.internal.functions;

import static io.kvreactive.documents.internal.value.Values.UNDEFINED;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.EvaluationContext;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.function.BiFunction;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import java.util.function.Predicate;

/** A function implemented by one lambda. */
record LambdaFunction(
    String name,
    int minArguments,
    int maxArguments,
    boolean deterministic,
    boolean constantInQuery,
    Body body)
    implements ScalarFunction {

  /** The {@link #maxArguments} of a function with any number of arguments. */
  static final int ANY = Integer.MAX_VALUE;

  interface Body {
    JsonNode call(JsonNode[] arguments, EvaluationContext context);
  }

  @Override
  public JsonNode call(JsonNode[] arguments, EvaluationContext context) {
    return body.call(arguments, context);
  }

  static ScalarFunction of(String name, int min, int max, Function<JsonNode[], JsonNode> body) {
    return new LambdaFunction(
        name, min, max, true, true, (arguments, context) -> body.apply(arguments));
  }

  static ScalarFunction inContext(String name, int min, int max, Body body) {
    return new LambdaFunction(name, min, max, true, true, body);
  }

  /** Returns a function whose value differs between calls, or between items. */
  static ScalarFunction varying(String name, int arguments, Body body) {
    return new LambdaFunction(name, arguments, arguments, false, false, body);
  }

  /** Returns a function whose value is constant during a query. */
  static ScalarFunction perQuery(String name, Function<EvaluationContext, JsonNode> body) {
    return new LambdaFunction(name, 0, 0, false, true, (arguments, context) -> body.apply(context));
  }

  /** Returns a function that is always true or false, for any argument. */
  static ScalarFunction test(String name, Predicate<JsonNode> test) {
    return of(name, 1, 1, a -> Values.bool(test.test(a[0])));
  }

  static ScalarFunction ofText(String name, Function<String, JsonNode> body) {
    return of(name, 1, 1, a -> a[0].isTextual() ? body.apply(a[0].textValue()) : UNDEFINED);
  }

  static ScalarFunction ofTexts(String name, BiFunction<String, String, JsonNode> body) {
    return of(
        name,
        2,
        2,
        a ->
            a[0].isTextual() && a[1].isTextual()
                ? body.apply(a[0].textValue(), a[1].textValue())
                : UNDEFINED);
  }

  static ScalarFunction ofNumber(String name, DoubleUnaryOperator body) {
    return of(
        name,
        1,
        1,
        a -> a[0].isNumber() ? Values.number(body.applyAsDouble(a[0].doubleValue())) : UNDEFINED);
  }

  static ScalarFunction ofNumbers(String name, DoubleBinaryOperator body) {
    return of(
        name,
        2,
        2,
        a ->
            a[0].isNumber() && a[1].isNumber()
                ? Values.number(body.applyAsDouble(a[0].doubleValue(), a[1].doubleValue()))
                : UNDEFINED);
  }

  static ScalarFunction ofArray(String name, Function<JsonNode, JsonNode> body) {
    return of(name, 1, 1, a -> a[0].isArray() ? body.apply(a[0]) : UNDEFINED);
  }

  static ScalarFunction ofArrays(String name, BiFunction<JsonNode, JsonNode, JsonNode> body) {
    return of(
        name, 2, 2, a -> a[0].isArray() && a[1].isArray() ? body.apply(a[0], a[1]) : UNDEFINED);
  }

  static boolean allTexts(JsonNode[] values) {
    for (JsonNode value : values) {
      if (!value.isTextual()) {
        return false;
      }
    }
    return true;
  }
}
