package io.kvreactive.documents.internal.value;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;
import static io.kvreactive.documents.internal.worker.WorkerThread.checkpointAfter;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.NumberOutput;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BigIntegerNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Builds the tree of a JSON value, and writes a tree. */
final class JsonTree {
  private final JsonParser parser;
  private final int maxDepth;

  JsonTree(JsonParser parser, int maxDepth) {
    this.parser = parser;
    this.maxDepth = maxDepth;
  }

  JsonNode read() throws IOException {
    JsonToken first = parser.nextToken();
    if (first == null) {
      throw Json.invalid("not valid JSON: there is no value", null);
    }
    JsonNode value = value(first, 0);
    if (parser.nextToken() != null) {
      throw Json.invalid("not valid JSON at " + place() + ": text after the value", null);
    }
    return value;
  }

  @Nullable ObjectNode readMembers(Set<String> names) throws IOException {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      return null;
    }
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    while (object.size() < names.size() && parser.nextToken() != JsonToken.END_OBJECT) {
      checkpoint();
      String name = parser.currentName();
      JsonToken first = parser.nextToken();
      if (names.contains(name)) {
        object.set(name, value(first, 1));
      } else {
        parser.skipChildren();
      }
    }
    return object;
  }

  private JsonNode value(JsonToken token, int depth) throws IOException {
    return switch (token) {
      case START_OBJECT -> object(deeper(depth));
      case START_ARRAY -> array(deeper(depth));
      case VALUE_STRING -> text();
      case VALUE_NUMBER_INT -> integer();
      case VALUE_NUMBER_FLOAT -> decimal();
      case VALUE_TRUE -> Values.TRUE;
      case VALUE_FALSE -> Values.FALSE;
      case VALUE_NULL -> Values.NULL;
      default -> throw Json.invalid("not valid JSON at " + place() + ": a value is missing", null);
    };
  }

  private JsonNode text() throws IOException {
    String text = parser.getText();
    checkpointAfter(text.length());
    return Values.text(text);
  }

  private int deeper(int depth) {
    if (depth == maxDepth) {
      throw new DocumentException(
          DocumentErrorCode.ITEM_TOO_LARGE,
          "nested too deep at " + place() + " (expected: at most " + maxDepth + " levels)");
    }
    return depth + 1;
  }

  private ObjectNode object(int depth) throws IOException {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      checkpoint();
      String name = parser.currentName();
      if (object.has(name)) {
        throw Json.invalid(
            "not valid JSON at "
                + place()
                + ": the object already has a member "
                + JsonFault.excerpt(name, 0),
            null);
      }
      object.set(name, value(parser.nextToken(), depth));
    }
    return object;
  }

  private ArrayNode array(int depth) throws IOException {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      checkpoint();
      array.add(value(token, depth));
    }
    return array;
  }

  private JsonNode integer() throws IOException {
    return switch (parser.getNumberType()) {
      case INT, LONG -> Values.number(parser.getLongValue());
      default -> BigIntegerNode.valueOf(parser.getBigIntegerValue());
    };
  }

  /**
   * Returns a double if it prints as the text that was read, because doubles are faster. Otherwise
   * keeps all digits.
   */
  private JsonNode decimal() throws IOException {
    String text = parser.getText();
    double value = parser.getDoubleValue();
    if (text.equals(NumberOutput.toString(value, true))) {
      return DoubleNode.valueOf(value);
    }
    try {
      return DecimalNode.valueOf(parser.getDecimalValue());
    } catch (NumberFormatException | ArithmeticException e) {
      throw Json.invalid(
          "a number out of range at " + place() + ": " + JsonFault.excerpt(text, 0), e);
    }
  }

  private String place() {
    return JsonFault.place(parser.currentTokenLocation());
  }

  static void write(JsonNode value, JsonGenerator out, @Nullable Function<JsonNode, String> numbers)
      throws IOException {
    checkpoint();
    switch (value.getNodeType()) {
      case OBJECT -> {
        out.writeStartObject();
        for (Map.Entry<String, JsonNode> member : value.properties()) {
          if (!member.getValue().isMissingNode()) {
            out.writeFieldName(member.getKey());
            write(member.getValue(), out, numbers);
          }
        }
        out.writeEndObject();
      }
      case ARRAY -> {
        out.writeStartArray();
        for (int i = 0; i < value.size(); i++) {
          if (!value.get(i).isMissingNode()) {
            write(value.get(i), out, numbers);
          }
        }
        out.writeEndArray();
      }
      case STRING -> {
        out.writeString(value.textValue());
        checkpointAfter(value.textValue().length());
      }
      case NUMBER -> number(value, out, numbers);
      case BOOLEAN -> out.writeBoolean(value.booleanValue());
      default -> out.writeNull();
    }
  }

  private static void number(
      JsonNode value, JsonGenerator out, @Nullable Function<JsonNode, String> numbers)
      throws IOException {
    if (value.isFloatingPointNumber() && !value.isBigDecimal()) {
      double number = value.doubleValue();
      if (!Double.isFinite(number)) {
        out.writeString(Double.toString(number));
        return;
      }
    }
    if (numbers != null) {
      out.writeNumber(numbers.apply(value));
      return;
    }
    switch (value.numberType()) {
      case INT, LONG -> out.writeNumber(value.longValue());
      case BIG_INTEGER -> out.writeNumber(value.bigIntegerValue());
      case BIG_DECIMAL -> out.writeNumber(value.decimalValue());
      default -> out.writeNumber(value.doubleValue());
    }
  }
}
