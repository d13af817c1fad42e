package io.kvreactive.documents.internal.functions;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.EvaluationContext;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class TypeAndConversionFunctionsTest {
  /** Each of these values with each type check. */
  @Test
  void checksTypes() {
    String[] values = {"undefined", "null", "true", "1.5", "\"a\"", "[1]", "{\"a\": 1}"};
    String[] tests = {
      "IS_DEFINED .xxxxxx",
      "IS_NULL .x.....",
      "IS_BOOL ..x....",
      "IS_NUMBER ...x...",
      "IS_STRING ....x..",
      "IS_ARRAY .....x.",
      "IS_OBJECT ......x",
      "IS_PRIMITIVE .xxxx..",
      "IS_FINITE_NUMBER ...x...",
      "IS_INTEGER ......."
    };
    for (String test : tests) {
      String[] parts = test.split(" ");
      for (int i = 0; i < values.length; i++) {
        Table.check(parts[0] + "(" + values[i] + ") -> " + (parts[1].charAt(i) == 'x'));
      }
    }
  }

  @Test
  void checksForFiniteNumbersAndIntegers() {
    Table.check(
        """
        IS_FINITE_NUMBER(1234.567) -> true
        IS_FINITE_NUMBER(Infinity) -> false
        IS_FINITE_NUMBER(NaN) -> false
        IS_NUMBER(NaN) -> true
        IS_INTEGER(0) -> true
        IS_INTEGER(-5) -> true
        IS_INTEGER(2.0) -> true
        IS_INTEGER(1e3) -> true
        IS_INTEGER(2.5) -> false
        IS_INTEGER(9223372036854775807) -> true
        IS_INTEGER(-9223372036854775808) -> true
        IS_INTEGER(9223372036854775808) -> false
        IS_INTEGER(18446744073709551615) -> false
        IS_INTEGER(1e19) -> false
        IS_INTEGER(1e999999999) -> false
        IS_INTEGER(1e-999999999) -> false
        IS_INTEGER(Infinity) -> false
        IS_INTEGER(100e2147483647) -> false
        IS_INTEGER(-100e2147483647) -> false
        IS_INTEGER("1") -> false
        """);
  }

  @Test
  void convertsToText() {
    Table.check(
        """
        TOSTRING(125) -> "125"
        TOSTRING(1.0000) -> "1"
        TOSTRING(0.1234) -> "0.1234"
        TOSTRING(-0.5) -> "-0.5"
        TOSTRING(0.000001) -> "0.000001"
        TOSTRING(0.0000001) -> "1e-7"
        TOSTRING(-1.5e-10) -> "-1.5e-10"
        TOSTRING(1e20) -> "100000000000000000000"
        TOSTRING(1e21) -> "1e+21"
        TOSTRING(1.25e300) -> "1.25e+300"
        TOSTRING(-0.0) -> "0"
        TOSTRING(9007199254740993) -> "9007199254740993"
        TOSTRING(1.10) -> "1.1"
        TOSTRING(false) -> "false"
        TOSTRING(null) -> "null"
        TOSTRING("Hello World") -> "Hello World"
        TOSTRING([1, 2, 3]) -> "[1,2,3]"
        TOSTRING([1.0, "a", null]) -> "[1,\\"a\\",null]"
        TOSTRING({"department": "Bicycles"}) -> "{\\"department\\":\\"Bicycles\\"}"
        TOSTRING(undefined) -> undefined
        TOSTRING(NaN) -> "NaN"
        TOSTRING(Infinity) -> "Infinity"
        TOSTRING(-Infinity) -> "-Infinity"
        """);
  }

  @Test
  void convertsFromText() {
    Table.check(
        """
        STRINGTOARRAY("[]") -> []
        STRINGTOARRAY(" [ \\"a\\", [1], {\\"b\\": null} ] ") -> ["a", [1], {"b": null}]
        STRINGTOARRAY("[ 'coats' ]") -> undefined
        STRINGTOARRAY("{}") -> undefined
        STRINGTOARRAY(null) -> undefined
        STRINGTOARRAY(undefined) -> undefined
        STRINGTOBOOLEAN("true") -> true
        STRINGTOBOOLEAN("  false ") -> false
        STRINGTOBOOLEAN("TRUE") -> undefined
        STRINGTOBOOLEAN("1") -> undefined
        STRINGTOBOOLEAN(true) -> undefined
        STRINGTONULL(" null ") -> null
        STRINGTONULL("NULL") -> undefined
        STRINGTONULL("") -> undefined
        STRINGTONULL(null) -> undefined
        STRINGTONUMBER("1.5") -> 1.5
        STRINGTONUMBER(" -3 ") -> -3
        STRINGTONUMBER("6.02e23") -> 6.02e23
        STRINGTONUMBER("1E-3") -> 0.001
        STRINGTONUMBER("0x1") -> undefined
        STRINGTONUMBER("+1") -> undefined
        STRINGTONUMBER("1 2") -> undefined
        STRINGTONUMBER("NaN") -> undefined
        STRINGTONUMBER("1e99999999999") -> undefined
        STRINGTONUMBER(1) -> undefined
        STRINGTOOBJECT("{}") -> {}
        STRINGTOOBJECT("{\\"division\\": {\\"name\\": \\"Sales\\"}}") -> {"division": {"name": "Sales"}}
        STRINGTOOBJECT("{'price': 27.55}") -> undefined
        STRINGTOOBJECT("[]") -> undefined
        """);
  }

  @Test
  void failsForDeepOrLongTexts() {
    JsonNode deep = Values.text("[".repeat(100_000) + "]".repeat(100_000));
    Table.checkTooLarge("STRINGTOARRAY", deep);
    JsonNode digits = Values.text("1".repeat(1_000_000));
    Table.checkTooLarge("STRINGTONUMBER", digits);
  }

  @Test
  void failsForTheTextOfLongOrDeepValues() {
    JsonNode text = Values.text("s".repeat(1 << 20));
    ArrayNode wide = JsonNodeFactory.instance.arrayNode();
    JsonNode deep = Values.TRUE;
    for (int i = 0; i < 4_000; i++) {
      wide.add(text);
      deep = JsonNodeFactory.instance.arrayNode().add(deep);
    }
    Table.checkTooLarge("TOSTRING", wide);
    Table.checkTooLarge("TOSTRING", deep);
  }

  @Test
  void convertsToTextUpToTheMaximumLengthOfFunctionResults() {
    EvaluationContext context = Table.context(false);
    JsonNode most =
        JsonNodeFactory.instance.arrayNode().add("s".repeat(FunctionRegistry.MAX_RESULT - 4));
    assertThat(Table.call("TOSTRING", context, most).textValue())
        .hasSize(FunctionRegistry.MAX_RESULT);
    JsonNode more =
        JsonNodeFactory.instance.arrayNode().add("s".repeat(FunctionRegistry.MAX_RESULT - 3));
    Table.checkTooLarge("TOSTRING", more);
  }

  @Property
  void convertsNumbersToTextAndBack(@ForAll double number) {
    JsonNode value = Values.number(number);
    EvaluationContext context = Table.context(false);
    JsonNode text = Table.call("TOSTRING", context, value);
    assertThat(Table.call("STRINGTONUMBER", context, text).doubleValue())
        .isEqualTo(value.doubleValue());
  }
}
