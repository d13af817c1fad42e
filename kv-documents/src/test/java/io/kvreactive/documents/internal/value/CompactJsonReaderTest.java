package io.kvreactive.documents.internal.value;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.internal.RandomJson;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the reader of compact JSON with the general parser. */
class CompactJsonReaderTest {
  private final MemberNames shared = new MemberNames();

  private @Nullable JsonNode fast(byte[] utf8) {
    return new CompactJsonReader(utf8, 0, shared).read(null);
  }

  private static @Nullable JsonNode general(byte[] utf8) {
    try {
      return Json.parse(utf8);
    } catch (DocumentException e) {
      return null;
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Property(tries = 300)
  void readsWrittenObjectsAsTheGeneralParserDoes(@ForAll long seed) {
    ObjectNode object = new RandomJson(seed).object(4, 40);
    byte[] utf8 = Json.write(object);
    assertThat(Json.writeText(Json.parseObject(utf8, 0, null, shared)))
        .isEqualTo(Json.writeText(Json.parse(utf8)));
    for (Set<String> names : Set.of(Set.of("a", "x-y"), Set.of("id"), Set.<String>of())) {
      ObjectNode some = Json.parseObject(utf8, 0, names, null);
      ObjectNode expected = ((ObjectNode) Json.parse(utf8)).retain(names);
      assertThat(some).isEqualTo(expected);
    }
  }

  /** For any bytes, the reader returns the value of the general parser, or null. */
  @Property(tries = 2_000)
  void agreesOnDamagedText(@ForAll long seed) {
    Random random = new Random(seed);
    byte[] utf8 = Json.write(new RandomJson(seed).object(3, 10));
    for (int i = 0; i <= random.nextInt(3); i++) {
      byte[] signs = utf8("{}[]\",:\\u0019-.eE tfn\u00e9\u0001");
      utf8[random.nextInt(utf8.length)] = signs[random.nextInt(signs.length)];
    }
    JsonNode read = fast(utf8);
    if (read != null) {
      JsonNode expected = general(utf8);
      assertThat(expected).as(new String(utf8, StandardCharsets.UTF_8)).isNotNull();
      assertThat(Json.writeText(read)).isEqualTo(Json.writeText(expected));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"a\":\"\"}",
        "{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\tx\\u00e9\\ud83d\\ude00\\ud800y\"}",
        "{\"é\\n\":\"日本\",\"b\":[true,false,null,[],{}]}",
        "{\"a\":0,\"b\":-0,\"c\":-12,\"d\":999999999999999999,\"e\":0.1,\"f\":-2.5E20,\"g\":1024}",
      })
  void readsItself(String json) {
    JsonNode read = fast(utf8(json));
    assertThat(read).isEqualTo(general(utf8(json))).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1",
        "[]",
        "{",
        "{ }",
        "{\"a\": 1}",
        "{\"a\":01}",
        "{\"a\":1,}",
        "{\"a\":1}x",
        "{\"a\":1,\"a\":2}",
        "{\"a\":\"\u0001\"}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12\"}",
        "{\"a\":\"x}",
        "{\"a\":tru}",
        "{\"a\":--1}",
        "{\"a\":1.}",
        "{\"a\":1.10}",
        "{\"a\":1234567890123456789}",
        "{\"a\":1e400}",
        "{\"a\":\"\uFFFD\"}",
        "{a:1}"
      })
  void leavesOtherTextToTheGeneralParser(String json) {
    assertThat(fast(utf8(json))).isNull();
  }

  @Test
  void leavesDeepValuesToTheGeneralParser() {
    String deepest = "{\"a\":" + "[".repeat(127) + "]".repeat(127) + "}";
    assertThat(fast(utf8(deepest))).isEqualTo(general(utf8(deepest))).isNotNull();
    assertThat(fast(utf8("{\"a\":" + "[".repeat(128) + "]".repeat(128) + "}"))).isNull();
  }

  @Test
  void sharesShortNames() {
    String name = nameIn("{\"name\":1}");
    for (int i = 0; i < 2_000; i++) { // more than the places
      String other = Integer.toString(i, 36);
      assertThat(fast(utf8("{\"" + other + "\":" + i + "}")).get(other).intValue()).isEqualTo(i);
    }
    assertThat(nameIn("{\"name\":2}")).isEqualTo("name").isSameAs(name);
    String longName = "n".repeat(40);
    assertThat(nameIn("{\"" + longName + "\":1}")).isEqualTo(longName);
  }

  private String nameIn(String json) {
    return fast(utf8(json)).fieldNames().next();
  }

  @Test
  void startsAtAnOffset() {
    assertThat(Json.writeText(Json.parseObject(utf8("xyz{\"a\":1}"), 3, null, null)))
        .isEqualTo("{\"a\":1}");
    assertThat(Json.writeText(Json.parseObject(utf8("xyz { \"a\" : 1 } "), 3, null, null)))
        .isEqualTo("{\"a\":1}");
    assertThat(Json.parseObject(utf8("[]"), 0, null, null)).isNull();
  }
}
