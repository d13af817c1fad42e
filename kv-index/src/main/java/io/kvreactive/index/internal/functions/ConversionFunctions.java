package io.kvreactive.index.internal.functions;

import static io.kvreactive.index.internal.value.Values.UNDEFINED;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.internal.value.Json;
import io.kvreactive.index.internal.value.Values;
import io.kvreactive.index.spi.ScalarFunction;
import java.util.List;
import java.util.function.Predicate;

/**
 * Conversions between texts and values. Texts are parsed as strict JSON, with surrounding blanks
 * allowed. The result is undefined if the text is not valid JSON, or is JSON of another type.
 */
final class ConversionFunctions {
  private ConversionFunctions() {}

  static List<ScalarFunction> all() {
    return List.of(
        LambdaFunction.of("TOSTRING", 1, 1, a -> toText(a[0])),
        parsed("STRINGTOARRAY", JsonNode::isArray),
        parsed("STRINGTOBOOLEAN", JsonNode::isBoolean),
        parsed("STRINGTONULL", JsonNode::isNull),
        parsed("STRINGTONUMBER", JsonNode::isNumber),
        parsed("STRINGTOOBJECT", JsonNode::isObject));
  }

  private static ScalarFunction parsed(String name, Predicate<JsonNode> type) {
    return LambdaFunction.ofText(
        name,
        text -> {
          JsonNode value = Json.parseOrNull(text);
          return value != null && type.test(value) ? value : UNDEFINED;
        });
  }

  private static JsonNode toText(JsonNode value) {
    return switch (value.getNodeType()) {
      case MISSING -> UNDEFINED;
      case STRING -> value;
      case NUMBER -> Values.text(NumberText.of(value));
      default -> {
        String text = Json.writeText(value, NumberText::of, FunctionRegistry.MAX_RESULT);
        yield text == null ? UNDEFINED : Values.text(text);
      }
    };
  }
}
