package io.kvreactive.documents.internal.functions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.EvaluationContext;
import io.kvreactive.documents.spi.ScalarFunction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.SoftAssertions;

/**
 * Checks calls with their expected results, one per line: {@code NAME(arguments) -> result}, as
 * JSON, and {@code undefined}, {@code NaN}, {@code Infinity} and {@code -Infinity}. {@code ~>}
 * allows the last digits of a number to differ.
 */
final class Table {
  static final Instant NOW = Instant.parse("2026-03-04T05:06:07.123456789Z");
  static final Instant QUERY_TIME = Instant.parse("2026-03-04T05:06:06.5Z");

  private Table() {}

  static void check(String lines) {
    SoftAssertions all = new SoftAssertions();
    for (String line : lines.lines().filter(text -> !text.isBlank()).toList()) {
      all.assertThatCode(() -> checkLine(line)).as(line).doesNotThrowAnyException();
    }
    all.assertAll();
  }

  private static void checkLine(String line) {
    boolean exact = !line.contains(" ~> ");
    int arrow = line.lastIndexOf(exact ? " -> " : " ~> ");
    JsonNode expected = value(line.substring(arrow + 4));
    JsonNode actual = call(line.substring(0, arrow));
    if (exact) {
      assertThat(Values.equal(actual, expected)).as("%s is %s", line, actual).isTrue();
    } else {
      double wanted = expected.doubleValue();
      assertThat(Math.abs(actual.doubleValue() - wanted) / Math.abs(wanted))
          .as("%s is %s", line, actual)
          .isLessThan(1e-12);
    }
  }

  static JsonNode call(String text) {
    return call(text, context(false));
  }

  static JsonNode call(String text, EvaluationContext context) {
    int open = text.indexOf('(');
    JsonNode[] arguments = values(text.substring(open + 1, text.lastIndexOf(')')));
    return call(text.substring(0, open), context, arguments);
  }

  static JsonNode call(String name, EvaluationContext context, JsonNode... arguments) {
    ScalarFunction function = FunctionRegistry.find(name);
    assertThat(function).as(name).isNotNull();
    assertThat(arguments.length)
        .as("arguments of " + name)
        .isBetween(function.minArguments(), function.maxArguments());
    return function.call(arguments, context);
  }

  /** Checks that a call fails with QUERY_BUDGET_EXCEEDED, in a message with the function's name. */
  static void checkTooLarge(String name, JsonNode... arguments) {
    assertThatThrownBy(() -> call(name, context(false), arguments))
        .as(name)
        .isInstanceOf(FunctionLimitException.class)
        .hasMessageStartingWith("QUERY_BUDGET_EXCEEDED: " + name + ": ")
        .hasMessageContaining("expected: at most");
  }

  private static JsonNode[] values(String list) {
    String json =
        "[" + list.replaceAll("(?<![\"\\w])(undefined|NaN|-?Infinity)(?![\"\\w])", "\"@$1\"") + "]";
    List<JsonNode> values = new ArrayList<>();
    Json.parse(json).forEach(value -> values.add(special(value)));
    return values.toArray(new JsonNode[0]);
  }

  static JsonNode value(String text) {
    return values(text)[0];
  }

  private static JsonNode special(JsonNode value) {
    if (value.isArray()) {
      ArrayNode array = JsonNodeFactory.instance.arrayNode();
      value.forEach(element -> array.add(special(element)));
      return array;
    }
    return switch (value.isTextual() ? value.textValue() : "") {
      case "@undefined" -> Values.UNDEFINED;
      case "@NaN" -> DoubleNode.valueOf(Double.NaN);
      case "@Infinity" -> DoubleNode.valueOf(Double.POSITIVE_INFINITY);
      case "@-Infinity" -> DoubleNode.valueOf(Double.NEGATIVE_INFINITY);
      default -> value;
    };
  }

  static EvaluationContext context(boolean deepPartial) {
    return new EvaluationContext() {
      @Override
      public Instant now() {
        return NOW;
      }

      @Override
      public Instant queryTime() {
        return QUERY_TIME;
      }

      @Override
      public double random() {
        return 0.25;
      }

      @Override
      public long documentId() {
        return 42;
      }

      @Override
      public boolean deepPartial() {
        return deepPartial;
      }
    };
  }
}
