package io.kvreactive.documents.internal.functions;

import static io.kvreactive.documents.internal.value.Values.UNDEFINED;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.List;
import java.util.function.Predicate;

/**
 * Conversions between texts and values. Texts are parsed as strict JSON, with surrounding blanks
 * allowed. The result is undefined if the text is not valid JSON, or is JSON of another type. A
 * text that is nested deeper than an item may be, or has a number of too many digits, is an error.
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
          JsonNode value = parse(name, text);
          return type.test(value) ? value : UNDEFINED;
        });
  }

  private static JsonNode parse(String name, String text) {
    try {
      return Json.parse(text);
    } catch (DocumentException e) {
      if (e.code() == DocumentErrorCode.INVALID_ITEM) {
        return UNDEFINED;
      } else if (e.code() == DocumentErrorCode.ITEM_TOO_LARGE) {
        throw new FunctionLimitException(name + ": " + e.detail());
      }
      throw e; // the query has used its time
    }
  }

  private static JsonNode toText(JsonNode value) {
    return switch (value.getNodeType()) {
      case MISSING -> UNDEFINED;
      case STRING -> value;
      case NUMBER -> Values.text(NumberText.of(value));
      default -> {
        String text = Json.writeText(value, NumberText::of, FunctionRegistry.MAX_RESULT);
        if (text == null) {
          throw FunctionLimitException.ofResult("TOSTRING");
        }
        yield Values.text(text);
      }
    };
  }
}
