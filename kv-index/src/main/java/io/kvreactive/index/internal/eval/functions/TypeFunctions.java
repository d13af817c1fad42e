package io.kvreactive.index.internal.eval.functions;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.internal.value.Values;
import io.kvreactive.index.spi.ScalarFunction;
import java.util.List;

/** What a value is: always true or false, and false for what is undefined. */
final class TypeFunctions {
  private TypeFunctions() {}

  static List<ScalarFunction> all() {
    return List.of(
        Fn.test("IS_ARRAY", JsonNode::isArray),
        Fn.test("IS_BOOL", JsonNode::isBoolean),
        Fn.test("IS_DEFINED", value -> !value.isMissingNode()),
        Fn.test("IS_NULL", JsonNode::isNull),
        Fn.test("IS_NUMBER", JsonNode::isNumber),
        Fn.test("IS_OBJECT", JsonNode::isObject),
        Fn.test("IS_PRIMITIVE", Values::isScalar),
        Fn.test("IS_STRING", JsonNode::isTextual),
        Fn.test(
            "IS_FINITE_NUMBER", value -> value.isNumber() && Double.isFinite(value.doubleValue())),
        // of 64 bits with a sign
        Fn.test("IS_INTEGER", value -> Integers.exact(value) != null));
  }
}
