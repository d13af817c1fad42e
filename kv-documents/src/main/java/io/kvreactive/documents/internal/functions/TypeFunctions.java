package io.kvreactive.documents.internal.functions;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.List;

/** Type tests. The result is always true or false, and false for undefined. */
final class TypeFunctions {
  private TypeFunctions() {}

  static List<ScalarFunction> all() {
    return List.of(
        LambdaFunction.test("IS_ARRAY", JsonNode::isArray),
        LambdaFunction.test("IS_BOOL", JsonNode::isBoolean),
        LambdaFunction.test("IS_DEFINED", value -> !value.isMissingNode()),
        LambdaFunction.test("IS_NULL", JsonNode::isNull),
        LambdaFunction.test("IS_NUMBER", JsonNode::isNumber),
        LambdaFunction.test("IS_OBJECT", JsonNode::isObject),
        LambdaFunction.test("IS_PRIMITIVE", Values::isScalar),
        LambdaFunction.test("IS_STRING", JsonNode::isTextual),
        LambdaFunction.test(
            "IS_FINITE_NUMBER", value -> value.isNumber() && Double.isFinite(value.doubleValue())),
        // signed 64-bit integers
        LambdaFunction.test("IS_INTEGER", value -> IntegerValues.exact(value) != null));
  }
}
