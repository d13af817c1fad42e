package io.kvreactive.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.value.JsMap;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Undocumented JSON is rejected with its location and the expected form. */
class KvJsonRefusalTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ValueMapper VALUES = new ValueMapper();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"a":{"$foo":1}}                | /a: {"$foo":1} (expected: a known form, such as $map, $set, $bigint, $date, $bytes or $undefined; for a property named $foo write {"$object":{"$foo":…}})
          {"$id":1,"a":2}                 | /$id: 1 (expected: {"$object":
          {"$object":[]}                  | /$object: [] (expected: an object)
          {"a/b":[{"~":{"$bigint":12}}]}  | /a~1b/0/~0/$bigint: 12 (expected: a string of 1 to 1000
          {"$bigint":""}                  | /$bigint: "" (expected
          {"$bigint":"1.5"}               | /$bigint: "1.5" (expected
          {"$bigint":"-0"}                | /$bigint: "-0" (expected
          {"$bigint":"007"}               | /$bigint: "007" (expected
          {"$bigint":"+1"}                | /$bigint: "+1" (expected
          {"$bigint":"٣"}                 | /$bigint: "٣" (expected
          [{"$u64":"1"}]                  | /0/$u64: "1" (expected: no $u64 within a value
          {"$u64":"-1"}                   | /$u64: "-1" (expected: 0..2^64-1)
          {"$u64":"18446744073709551616"} | /$u64: "18446744073709551616" (expected: 0..2^64-1)
          {"$u64":1}                      | /$u64: 1 (expected: a string
          [{"$v8":"/w8w"}]                | /0/$v8: "/w8w" (expected: no $v8 within a value)
          {"$v8":"?"}                     | /$v8: "?" (expected: base64
          {"$key":"FgAF"}                 | /$key: "FgAF" (expected: no $key in a value)
          {"$bytes":"a b="}               | /$bytes: "a b=" (expected: base64
          {"$bytes":"A"}                  | /$bytes: "A" (expected: base64
          {"$bytes":[1,2]}                | /$bytes: [1,2] (expected: a string of base64)
          {"$arrayBuffer":null}           | /$arrayBuffer: null (expected: a string of base64)
          {"$undefined":false}            | /$undefined: false (expected: true)
          {"$undefined":1}                | /$undefined: 1 (expected: true)
          {"$hole":true}                  | /$hole: true (expected: no $hole but
          [{"$hole":false}]               | /0/$hole: false (expected: true)
          {"$map":[[{"$hole":true},1]]}   | /$map/0/0/$hole: true (expected: no $hole but
          {"$number":"nan"}               | /$number: "nan" (expected: "NaN"
          {"$number":5}                   | /$number: 5 (expected: "NaN"
          {"$string":"a"}                 | /$string: "a" (expected: an array
          {"$string":[65536]}             | /$string: 65536 (expected: a string, or a code unit
          {"$string":[-1]}                | /$string: -1 (expected: a string, or a code unit
          {"$string":[1.0]}               | /$string: 1.0 (expected: a string, or a code unit
          {"$date":0}                     | /$date: 0 (expected: an ISO 8601 instant, or null
          {"$date":"1970-01-01"}          | /$date: "1970-01-01" (expected: an ISO 8601 instant
          {"$date":"1970-01-01T00:00:00.0001Z"} | (expected: whole milliseconds
          {"$date":"+275760-09-13T00:00:00.001Z"} | (expected: an ISO 8601 instant
          {"$date":"+999999999-01-01T00:00:00Z"} | (expected: an ISO 8601 instant
          {"$map":{}}                     | /$map: {} (expected: an array)
          {"$map":[[1]]}                  | /$map/0: [1] (expected: [key, value])
          {"$map":[[1,2],[1.0,2]]}        | /$map/1/0: 1.0 (expected: each key once)
          {"$set":[1,2,1]}                | /$set/2: 1 (expected: each member once)
          {"$set":7}                      | /$set: 7 (expected: an array)
          {"$sparse":{}}                  | /$sparse: {} (expected: an array)
          {"$regexp":"/a/"}               | /$regexp: "/a/" (expected: an object with source, flags)
          {"$regexp":{"source":"a"}}      | /$regexp/flags: nothing (expected: a string of letters
          {"$regexp":{"flags":""}}        | /$regexp/source: nothing (expected: a string)
          {"$regexp":{"source":"a","flags":"gg"}} | /$regexp/flags: "gg" (expected: a string of
          {"$regexp":{"source":"a","flags":"x"}}  | /$regexp/flags: "x" (expected: a string of
          {"$regexp":{"source":1,"flags":""}} | /$regexp/source: 1 (expected: a string)
          {"$regexp":{"source":"a","flags":"","x":1}} | /$regexp/x: 1 (expected: no properties but
          {"$error":{}}                   | /$error/name: nothing (expected: Error, EvalError
          {"$error":{"name":"MyError"}}   | /$error/name: "MyError" (expected: Error, EvalError
          {"$error":{"name":"Error","message":null}} | /$error/message: null (expected: a string)
          {"$error":{"name":"Error","code":5}} | /$error/code: 5 (expected: no properties but
          {"$boxed":null}                 | /$boxed: null (expected: a boolean, number
          {"$boxed":{"$boxed":1}}         | /$boxed: {"$boxed":1} (expected: a boolean, number
          {"$typedArray":{"type":"Int9Array","bytes":""}} | /type: "Int9Array" (expected: the name
          {"$typedArray":{"bytes":""}}    | /$typedArray/type: nothing (expected: the name
          {"$typedArray":{"type":"Int16Array","bytes":"AA=="}} | /bytes: "AA==" (expected: elements
          9007199254740993                | 9007199254740993 (expected: a whole number that a double
          12345678901234567891            | 12345678901234567891 (expected: a whole number
          1e400                           | (expected: a number that fits a double
          """)
  void rejectsUndocumentedValues(String json, String message) throws Exception {
    assertInvalid(KvErrorCode.INVALID_VALUE, () -> KvJson.valueOf(JSON.readTree(json)))
        .hasMessageContaining(message)
        .hasMessageStartingWith("INVALID_VALUE: JSON value");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                           | JSON key: {} (expected: an array of key parts)
          "users"                      | JSON key: "users" (expected: an array of key parts)
          [null]                       | /0: null (expected: a string, number, boolean, $bigint
          ["a",["b"]]                  | /1: ["b"] (expected: a string
          [{"$date":null}]             | /0: {"$date":null} (expected: a string
          [{"a":1}]                    | /0: {"a":1} (expected: a string
          [{"$bigint":1}]              | /0/$bigint: 1 (expected: a string of 1 to 1000 decimal
          [9007199254740993]           | /0: 9007199254740993 (expected: a whole number
          [1e999]                      | (expected: a number that fits a double
          ["a\\ud83d"]                  | /0: "a\ud83d" (expected: a string without lone surrogates)
          {"$key":"FgA="}              | INVALID_KEY: byte 0 of encoded key
          {"$key":5}                   | /$key: 5 (expected: a string of base64)
          {"$key":"","a":1}            | (expected: an array of key parts)
          """)
  void rejectsUndocumentedKeys(String json, String message) throws Exception {
    assertInvalid(KvErrorCode.INVALID_KEY, () -> KvJson.keyOf(JSON.readTree(json)))
        .hasMessageContaining(message.replace("\\ud83d", "\ud83d"));
  }

  @Test
  void rejectsABigintTooLongForAKey() {
    String digits = "9".repeat(700);
    assertInvalid(
            KvErrorCode.INVALID_KEY,
            () -> KvJson.keyOf(JSON.readTree("[{\"$bigint\":\"" + digits + "\"}]")))
        .hasMessageContaining("at most 255");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                                | INVALID_ARGUMENT | JSON line: nothing (expected: an object
          [1]                               | INVALID_ARGUMENT | JSON line: [1] (expected: an object
          {"key":["a"]}                     | INVALID_ARGUMENT | {"key":["a"]} (expected: a property value)
          {"value":1}                       | INVALID_ARGUMENT | (expected: a property key)
          {"key":["a"],"value":1,"ttl":5}   | INVALID_ARGUMENT | /ttl: 5 (expected: no properties but key,
          {"key":["a"],"value":1,"expireAt":-1}    | INVALID_ARGUMENT | /expireAt: -1 (expected: whole
          {"key":["a"],"value":1,"expireAt":1.5}   | INVALID_ARGUMENT | /expireAt: 1.5 (expected: whole
          {"key":["a"],"value":1,"expireAt":null}  | INVALID_ARGUMENT | /expireAt: null (expected: whole
          {"key":["a"],"value":1,"expireAt":9223372036854775808} | INVALID_ARGUMENT | /expireAt: 9
          {"key":["a"],"value":1,"versionstamp":7} | INVALID_ARGUMENT | /versionstamp: 7 (expected: 20
          {"key":["a"],"value":1,"versionstamp":"7"} | INVALID_VERSIONSTAMP | "7" (expected: 20 hex digits)
          {"key":[null],"value":1}          | INVALID_KEY | JSON line at /key/0: null (expected: a string
          {"key":["a"],"value":[{"$x":1}]}  | INVALID_VALUE | JSON line at /value/0: {"$x":1} (expected
          {"key":["a"],"value":{"$v8":1}}   | INVALID_VALUE | JSON line at /value/$v8: 1 (expected
          {"key":["a"],"value":1            | INVALID_ARGUMENT | at column 23: {"key":["a"],"value":1
          {"key":["a"],"value":01}          | INVALID_ARGUMENT | (expected: JSON; invalid number)
          {"key":["a"],"value":NaN}         | INVALID_ARGUMENT | (expected: JSON; unknown word NaN)
          {"key":["a"],"value":1} {}        | INVALID_ARGUMENT | (expected: JSON; unexpected text after the end)
          {"key":["a"],"key":["b"],"value":1} | INVALID_ARGUMENT | (expected: JSON; duplicate property
          {"key":["a"],"value":{"a":1,"a":2}} | INVALID_ARGUMENT | (expected: JSON; duplicate property
          // comment                        | INVALID_ARGUMENT | (expected: JSON;
          """)
  void rejectsUndocumentedLines(String text, KvErrorCode code, String message) {
    assertInvalid(code, () -> KvJson.parse(text)).hasMessageContaining(message);
  }

  @Test
  void acceptsMissingVersionstampAndExpiry() {
    KvLine line = KvJson.parse("{\"value\":1,\"versionstamp\":null,\"expireAt\":0,\"key\":[]}\r\n");
    assertThat(line).isEqualTo(KvLine.of(KvKey.EMPTY, VALUES.encode(1)));
    assertThat(KvJson.print(line)).isEqualTo("{\"key\":[],\"value\":1}");
    assertInvalid(
        KvErrorCode.INVALID_ARGUMENT,
        () -> new KvLine(KvKey.EMPTY, line.value(), Versionstamp.ZERO, -1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          2147483648           | 2147483648
          9007199254740992     | 9007199254740992
          -9007199254740994    | -9007199254740994
          9223372036854775808  | 9223372036854775808
          123456789012345680000 | 123456789012345680000
          1e2                  | 100
          0.10000000000000000000001 | 0.1
          1e-400               | 0
          """)
  void acceptsNumbersOfOtherWriters(String json, BigDecimal number) throws Exception {
    assertThat(KvJson.valueOf(JSON.readTree(json))).isEqualTo(VALUES.encode(number.doubleValue()));
    assertThat(KvJson.keyOf(JSON.readTree("[" + json + "]")))
        .isEqualTo(KvKey.of(number.doubleValue()));
  }

  @Test
  void rejectsNodesThatNoTextYields() {
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    assertThat(KvJson.valueOf(nodes.numberNode(5L))).isEqualTo(VALUES.encode(5));
    assertThat(KvJson.valueOf(nodes.numberNode(BigInteger.TWO))).isEqualTo(VALUES.encode(2));
    assertThat(KvJson.valueOf(nodes.numberNode(new BigDecimal("1.5"))))
        .isEqualTo(VALUES.encode(1.5));
    for (JsonNode node :
        List.of(
            nodes.pojoNode(new Object()),
            nodes.binaryNode(new byte[1]),
            nodes.missingNode(),
            nodes.numberNode(Double.NaN),
            nodes.numberNode(Float.POSITIVE_INFINITY))) {
      assertInvalid(KvErrorCode.INVALID_VALUE, () -> KvJson.valueOf(node));
      assertInvalid(KvErrorCode.INVALID_KEY, () -> KvJson.keyOf(nodes.arrayNode().add(node)));
    }
  }

  @Test
  void limitsTheDepthLikeThatOfValues() throws Exception {
    onSmallStack(
        () -> {
          JsonNode deepest = nestedJson("[", "]", 512);
          assertThat(KvJson.toJson(KvJson.valueOf(deepest))).isEqualTo(deepest);
          for (int depth : new int[] {513, 900}) {
            assertInvalid(
                    KvErrorCode.INVALID_VALUE, () -> KvJson.valueOf(nestedJson("[", "]", depth)))
                .hasMessageContaining("nests");
            assertInvalid(
                    KvErrorCode.INVALID_VALUE,
                    () -> KvJson.valueOf(nestedJson("{\"$map\":[[1,", "]]}", depth / 3 + 2)))
                .hasMessageContaining("nests");
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "{\"a\":", "{\"$map\":[[1,", "{\"$boxed\":"})
  void rejectsEndlesslyNestedText(String level) throws Exception {
    String text = "{\"key\":[],\"value\":" + level.repeat(100_000);
    onSmallStack(
        () ->
            assertInvalid(KvErrorCode.INVALID_ARGUMENT, () -> KvJson.parse(text))
                .hasMessageContaining("nested too deep"));
  }

  @Test
  void rejectsEndlesslyNestedNodes() throws Exception {
    ArrayNode deep = JsonNodeFactory.instance.arrayNode();
    for (int i = 0; i < 100_000; i++) {
      deep = JsonNodeFactory.instance.arrayNode().add(deep);
    }
    JsonNode hostile = deep;
    onSmallStack(
        () -> {
          assertInvalid(KvErrorCode.INVALID_VALUE, () -> KvJson.valueOf(hostile));
          assertInvalid(KvErrorCode.INVALID_KEY, () -> KvJson.keyOf(hostile));
          assertInvalid(KvErrorCode.INVALID_ARGUMENT, () -> KvJson.lineOf(hostile));
        });
  }

  @Test
  void writesDeepValuesOnASmallStack() throws Exception {
    onSmallStack(
        () -> {
          Object lists = 1;
          Object maps = 1;
          for (int i = 0; i < 512; i++) {
            lists = new ArrayList<>(List.of(lists));
            JsMap map = new JsMap();
            map.put(1, maps);
            maps = map;
          }
          for (Object deep : List.of(lists, maps)) {
            KvValue value = VALUES.encode(deep);
            JsonNode json = KvJson.toJson(value);
            assertThat(json.has("$v8")).isEqualTo(deep == maps);
            assertThat(KvJson.valueOf(json)).isEqualTo(value);
            assertThat(KvJson.parse(KvJson.print(KvLine.of(KvKey.EMPTY, value))).value())
                .isEqualTo(value);
          }
        });
  }

  @Test
  void doesNotUnfoldSharedObjectsEndlessly() {
    Object laughs = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      laughs = new ArrayList<>(Arrays.asList(laughs, laughs));
    }
    byte[] large = new byte[1 << 20];
    Object copies = new ArrayList<>(Collections.nCopies(100_000, List.of(large)));
    for (Object bomb : List.of(laughs, copies)) {
      KvValue value = VALUES.encode(bomb);
      JsonNode json = KvJson.toJson(value);
      assertThat(json.has("$v8")).isTrue();
      assertThat(KvJson.valueOf(json)).isEqualTo(value);
    }
  }

  @Test
  void writesACycleBeforeManyOtherValues() {
    List<Object> cycle = new ArrayList<>();
    cycle.add(cycle);
    cycle.add(new byte[1 << 20]);
    assertThat(KvJson.toJson(VALUES.encode(cycle)).has("$v8")).isTrue();
  }

  @Test
  void acceptsLongStringsAndNames() {
    String text = "x\u20ac".repeat(1_000_000);
    KvValue value = VALUES.encode(Map.of("n".repeat(100_000), text));
    KvLine line = KvLine.of(KvKey.of(1), value);
    String printed = KvJson.print(line);
    assertThat(printed).startsWith("{\"key\":[1],\"value\":{\"nnn");
    assertThat(KvJson.parse(printed)).isEqualTo(line);
  }

  @Test
  void acceptsLongBigints() throws Exception {
    for (int digits : new int[] {999, 1000, 1001}) {
      for (String sign : new String[] {"", "-"}) {
        BigInteger number = new BigInteger(sign + "9".repeat(digits));
        KvValue value = VALUES.encode(number);
        JsonNode json = KvJson.toJson(value);
        assertThat(json.has("$bigint")).isEqualTo(digits < 1000);
        assertThat(KvJson.valueOf(json)).isEqualTo(value);
        String text = "{\"$bigint\":\"" + number + "\"}";
        if (digits <= 1000) {
          assertThat(KvJson.valueOf(JSON.readTree(text))).isEqualTo(value);
        } else {
          assertInvalid(KvErrorCode.INVALID_VALUE, () -> KvJson.valueOf(JSON.readTree(text)));
        }
      }
    }
  }

  @Test
  void keepsMessagesShort() throws Exception {
    String name = "n".repeat(100_000);
    String much = "[" + "1,".repeat(100_000) + "1]";
    for (String json :
        List.of(
            "{\"$date\":\"" + name + "\"}",
            "{\"$date\":" + much + "}",
            "{\"" + name + "\":{\"$bytes\":" + much + "}}",
            "{\"$" + name + "\":" + much + "}",
            "{\"$bytes\":{\"" + name + "\":" + much + "}}",
            "{\"$regexp\":{\"" + name + "\":" + much + "}}")) {
      assertInvalid(KvErrorCode.INVALID_VALUE, () -> KvJson.valueOf(read(json)));
    }
    for (String line : List.of(name, much, much + much, "{\"" + name + "\":" + much + "}")) {
      assertInvalid(KvErrorCode.INVALID_ARGUMENT, () -> KvJson.parse(line));
    }
    String twice = "{\"" + name + "\":1,\"" + name + "\":1}";
    assertInvalid(KvErrorCode.INVALID_ARGUMENT, () -> KvJson.parse(twice));
  }

  private static JsonNode read(String json) throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    mapper
        .getFactory()
        .setStreamReadConstraints(
            StreamReadConstraints.builder().maxNameLength(Integer.MAX_VALUE).build());
    return mapper.readTree(json);
  }

  private static JsonNode nestedJson(String open, String close, int depth) throws Exception {
    boolean map = open.length() > 1;
    return JSON.readTree(open.repeat(depth) + (map ? "1" : "") + close.repeat(depth));
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> assertInvalid(
      KvErrorCode code, ThrowingCallable call) {
    return assertThatThrownBy(call)
        .isInstanceOfSatisfying(KvException.class, e -> assertThat(e.code()).isEqualTo(code))
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(600));
  }

  private interface Work {
    void run() throws Exception;
  }

  /**
   * Runs work on a stack of 768 KiB: Java's default of 1 MiB, less the part that a caller may have
   * used. Values of 512 levels take up to 512 KiB of it if the C1 compiler has inlined much.
   */
  private static void onSmallStack(Work work) throws Exception {
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              work.run();
              return null;
            });
    new Thread(null, task, "small stack", 768 * 1024).start();
    task.get();
  }
}
