package io.kvreactive.documents.internal.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "true",
        "\"a\\\"b\\u0000\"",
        "[1,2,[]]",
        "{\"b\":1,\"a\":{\"c\":[null]}}",
        "1.0",
        "1.10",
        "0.1",
        "27.6",
        "9007199254740993",
        "-9223372036854775808",
        "18446744073709551616",
        "3.14159265358979323846264338327950288",
        "123456789012345678901234567890",
      })
  void keepsWrittenValues(String json) {
    assertThat(Json.writeText(Json.parse(json))).isEqualTo(json);
    byte[] utf8 = json.getBytes(StandardCharsets.UTF_8);
    assertThat(Json.write(Json.parse(utf8))).isEqualTo(utf8);
  }

  @Test
  void keepsHugeExponents() {
    assertThat(Json.parse("1e999999").decimalValue().precision()).isEqualTo(1);
    assertThat(Json.writeText(Json.parse("1e5"))).isEqualTo("1E+5");
    assertThat(Json.parse("1e999999999").doubleValue()).isInfinite();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"a\":1,}              | line 1, column",
        "{\"a\":1                | too early",
        "[1 2]                   | line 1, column",
        "[1,]                    | line 1, column",
        "NaN                     | line 1, column",
        "[Infinity]              | line 1, column",
        "'a'                     | line 1, column",
        "01                      | line 1, column",
        "1 2                     | after the value",
        "{\"a\":1}{}             | after the value",
        "// c                    | line 1, column",
        "{\"a\":1,\"b\":2,\"a\":3} | already has a member \"a\"",
        "{a:1}                   | line 1, column",
        "\"\\x\"                 | line 1, column",
        "`  `                    | there is no value",
        "tru                     | line 1, column",
        "1e99999999999           | out of range",
      })
  void rejectsTextThatIsNotJson(String json, String message) {
    for (boolean bytes : new boolean[] {false, true}) {
      assertThatThrownBy(() -> parse(json, bytes))
          .as(json)
          .isInstanceOf(DocumentException.class)
          .hasMessageContaining(message)
          .extracting(e -> ((DocumentException) e).code())
          .isEqualTo(DocumentErrorCode.INVALID_ITEM);
    }
  }

  private static JsonNode parse(String json, boolean bytes) {
    return bytes ? Json.parse(json.getBytes(StandardCharsets.UTF_8)) : Json.parse(json);
  }

  @Test
  void reportsTheLineOfAnError() {
    assertThatThrownBy(() -> Json.parse("{\n  \"a\": 1,\n  \"b\": ?\n}"))
        .hasMessage(
            "INVALID_ITEM: not valid JSON at line 3, column 8: not expected near \"?\\n}\"");
    assertThatThrownBy(() -> Json.parse("{\n\"a\": 1,\n \"a\": 2}"))
        .hasMessageContaining("line 3, column 2");
  }

  @Test
  void rejectsBytesThatAreNotUtf8() {
    assertThatThrownBy(() -> Json.parse(new byte[] {'"', (byte) 0xff, '"'}))
        .isInstanceOf(DocumentException.class)
        .hasMessageContaining("not UTF-8");
    byte[] utf16 = "{\"a\":1}".getBytes(StandardCharsets.UTF_16LE);
    assertThatThrownBy(() -> Json.parse(utf16)).isInstanceOf(DocumentException.class);
  }

  @Test
  void limitsDepth() {
    String deep = "[".repeat(128) + "]".repeat(128);
    assertThat(Json.writeText(Json.parse(deep))).isEqualTo(deep);
    for (int depth : new int[] {129, 130, 1000, 1_000_000}) {
      assertThatThrownBy(() -> Json.parse("[".repeat(depth) + "]".repeat(depth)))
          .hasMessage(
              "ITEM_TOO_LARGE: nested too deep at line 1, column 129 (expected: at most 128"
                  + " levels)")
          .extracting(e -> ((DocumentException) e).code())
          .isEqualTo(DocumentErrorCode.ITEM_TOO_LARGE);
      assertThatThrownBy(() -> Json.parse("{\"a\":".repeat(depth)))
          .hasMessageContaining("nested too deep");
    }
  }

  @Test
  void limitsNumbers() {
    String most = "1".repeat(1000);
    assertThat(Json.writeText(Json.parse(most))).isEqualTo(most);
    assertThatThrownBy(() -> Json.parse("1".repeat(1001)))
        .hasMessageContaining("a number is too long")
        .extracting(e -> ((DocumentException) e).code())
        .isEqualTo(DocumentErrorCode.ITEM_TOO_LARGE);
    assertThatThrownBy(() -> Json.parse("0." + "1".repeat(1001)))
        .hasMessageContaining("a number is too long");
  }

  @Test
  void acceptsLongNamesAndTexts() {
    String json = "{\"" + "n".repeat(200_000) + "\":\"" + "t".repeat(30_000_000) + "\"}";
    assertThat(Json.parse(json).properties().iterator().next().getValue().textValue())
        .hasSize(30_000_000);
  }

  @Test
  void escapesUnpairedSurrogates() {
    JsonNode half = Json.parse("[\"\\ud83d\\ude00\",\"\\ud83d\",\"a\\ude00b\"]");
    assertThat(half.get(1).textValue()).isEqualTo("\ud83d");
    String text = "[\"\ud83d\ude00\",\"\\ud83d\",\"a\\ude00b\"]";
    assertThat(Json.writeText(half)).isEqualTo(text);
    assertThat(Json.write(half)).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
    assertThat(Json.parse(Json.write(half))).isEqualTo(half);
  }

  @Test
  void omitsUndefinedAndWritesNonFiniteNumbersAsText() {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    object.set("a", Values.UNDEFINED);
    object.set("n", DoubleNode.valueOf(Double.NaN));
    object.set("l", JsonNodeFactory.instance.arrayNode().add(Values.UNDEFINED).add(1));
    object.set("i", DoubleNode.valueOf(Double.NEGATIVE_INFINITY));
    assertThat(Json.writeText(object)).isEqualTo("{\"n\":\"NaN\",\"l\":[1],\"i\":\"-Infinity\"}");
    assertThatThrownBy(() -> Json.write(Values.UNDEFINED))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Provide
  Arbitrary<JsonNode> values() {
    return ValuesTest.values();
  }

  @Property
  void readsBackWrittenValues(@ForAll("values") JsonNode value) {
    JsonNode again = Json.parse(Json.write(value));
    assertThat(Values.equal(again, value)).isTrue();
    assertThat(Json.writeText(again)).isEqualTo(Json.writeText(value));
  }
}
