package io.kvreactive.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.KvKey;
import io.kvreactive.KvU64;
import io.kvreactive.KvValue;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.value.JsArray;
import io.kvreactive.value.JsArrayBuffer;
import io.kvreactive.value.JsBoxed;
import io.kvreactive.value.JsDate;
import io.kvreactive.value.JsError;
import io.kvreactive.value.JsHole;
import io.kvreactive.value.JsHostObject;
import io.kvreactive.value.JsMap;
import io.kvreactive.value.JsRegExp;
import io.kvreactive.value.JsSet;
import io.kvreactive.value.JsSparseArray;
import io.kvreactive.value.JsTypedArray;
import io.kvreactive.value.JsUndefined;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Examples of the JSON notation of keys and values. */
class KvJsonExamplesTest {
  private static final double NEGATIVE_NAN = Double.longBitsToDouble(0xFFF8000000000000L);
  private static final ValueMapper VALUES = new ValueMapper();
  private static final ObjectMapper JSON = new ObjectMapper();

  static Stream<Arguments> readable() {
    return Stream.of(
        v("", "''"),
        v("a\"\\\n\0\u2028\u00e9\u20ac\uD83D\uDE2E", "'a\\'\\\\\\n\\u0000\u2028é€\uD83D\uDE2E'"),
        v("$map", "'$map'"),
        v("\uD83D", "{'$string':[55357]}"),
        v("a\uDE2Eb\uD83D", "{'$string':['a',56878,'b',55357]}"),
        v("\uD83D\uD83D\uDE2E", "{'$string':[55357,'\uD83D\uDE2E']}"),
        v(true, "true"),
        v(null, "null"),
        v(JsUndefined.UNDEFINED, "{'$undefined':true}"),
        v(0, "0"),
        v(0.0, "0.0"),
        v(1, "1"),
        v(1.0, "1.0"),
        v(Integer.MIN_VALUE, "-2147483648"),
        v(-2147483648.0, "-2.147483648E9"),
        v(2147483648.0, "2147483648"),
        v(-2147483649.0, "-2147483649"),
        v(0x1p53, "9007199254740992"),
        v(0x1p53 + 2, "9.007199254740994E15"),
        v(1.5, "1.5"),
        v(0.1 + 0.2, "0.30000000000000004"),
        v(5e-324, "4.9E-324"),
        v(Double.MAX_VALUE, "1.7976931348623157E308"),
        v(-0.0, "{'$number':'-0'}"),
        v(Double.NaN, "{'$number':'NaN'}"),
        v(NEGATIVE_NAN, "{'$number':'-NaN'}"),
        v(Double.POSITIVE_INFINITY, "{'$number':'Infinity'}"),
        v(Double.NEGATIVE_INFINITY, "{'$number':'-Infinity'}"),
        v(BigInteger.ZERO, "{'$bigint':'0'}"),
        v(-12L, "{'$bigint':'-12'}"),
        v(BigInteger.ONE.shiftLeft(70), "{'$bigint':'1180591620717411303424'}"),
        v(KvU64.wrapped(-1), "{'$u64':'18446744073709551615'}"),
        v(new byte[0], "{'$bytes':''}"),
        v(new byte[] {-1, -2, 3}, "{'$bytes':'//4D'}"),
        v(List.of(), "[]"),
        v(Arrays.asList(1, List.of("a"), null), "[1,['a'],null]"),
        v(Map.of(), "{}"),
        v(object("b", 1, "a", object()), "{'b':1,'a':{}}"),
        v(object("", 1, "10", 2, "9", 3, "01", 4), "{'':1,'10':2,'9':3,'01':4}"),
        v(object("4294967295", 1, "__proto__", 2), "{'4294967295':1,'__proto__':2}"),
        v(object("a$", new byte[] {1}), "{'a$':{'$bytes':'AQ=='}}"),
        v(object("$", 1), "{'$object':{'$':1}}"),
        v(object("a", 1, "$map", List.of()), "{'$object':{'a':1,'$map':[]}}"),
        v(
            object("$object", object("$object", 1)),
            "{'$object':{'$object':{'$object':{'$object':1}}}}"),
        v(new JsDate(-1), "{'$date':'1969-12-31T23:59:59.999Z'}"),
        v(new JsDate(8.64e15), "{'$date':'+275760-09-13T00:00:00Z'}"),
        v(new JsDate(-8.64e15), "{'$date':'-271821-04-20T00:00:00Z'}"),
        v(new JsDate(Double.NaN), "{'$date':null}"),
        v(new JsMap(), "{'$map':[]}"),
        v(new JsMap(Map.of(List.of(1), new JsMap())), "{'$map':[[[1],{'$map':[]}]]}"),
        v(new JsSet(Arrays.asList("a", 1, 1L)), "{'$set':['a',1,{'$bigint':'1'}]}"),
        v(new JsSet(List.of(new JsSet(), new JsSet())), "{'$set':[{'$set':[]},{'$set':[]}]}"),
        v(new JsRegExp("a/\uD83D", 511), regExp("{'$string':['a/',55357]}", "dgilmsuvy")),
        v(new JsRegExp("", 0), regExp("''", "")),
        v(new JsError(JsError.Kind.ERROR), "{'$error':{'name':'Error'}}"),
        v(
            new JsError(JsError.Kind.URI_ERROR)
                .withMessage("\uDE2E")
                .withStack("s")
                .withCause(null),
            "{'$error':{'name':'URIError','message':{'$string':[56878]},'stack':'s','cause':null}}"),
        v(new JsBoxed(5), "{'$boxed':5.0}"),
        v(new JsBoxed(-0.0), "{'$boxed':{'$number':'-0'}}"),
        v(new JsBoxed(true), "{'$boxed':true}"),
        v(Collections.nCopies(3, "x").stream().map(JsBoxed::new).toList(), boxes("'x'")),
        v(Stream.of(1, 2, 3).map(i -> new JsBoxed(i > 0)).toList(), boxes("true")),
        v(new JsBoxed(5L), "{'$boxed':{'$bigint':'5'}}"),
        v(new JsArrayBuffer(new byte[] {1}), "{'$arrayBuffer':'AQ=='}"),
        v(JsTypedArray.of(1.0f), "{'$typedArray':{'type':'Float32Array','bytes':'AACAPw=='}}"),
        v(
            JsTypedArray.of(JsTypedArray.Kind.UINT8, new byte[] {1}),
            "{'$typedArray':{'type':'Uint8Array','bytes':'AQ=='}}",
            "{'$v8':'/w9CAQFWQgABAA=='}"),
        v(Arrays.asList(JsHole.HOLE, 1), "[{'$hole':true},1]"),
        v(sparse(3, 1, 2, 3), "{'$sparse':[1,2,3]}"),
        v(sparse(4, 1, JsHole.HOLE, 3), "{'$sparse':[1,{'$hole':true},3,{'$hole':true}]}"),
        v(sparse(50), "{'$sparse':[" + "{'$hole':true},".repeat(49) + "{'$hole':true}]}"));
  }

  /** Values without a notation. */
  static Stream<Arguments> kept() {
    Map<String, Object> cycle = new LinkedHashMap<>();
    cycle.put("self", cycle);
    List<Object> shared = List.of();
    JsArray named = new JsArray();
    named.properties().put("index", 0);
    JsArrayBuffer buffer = new JsArrayBuffer(new byte[8]);
    JsArrayBuffer resizable = JsArrayBuffer.resizable(new byte[8], 16);
    return Stream.of(
            cycle,
            List.of(shared, shared),
            named,
            new JsSparseArray(1000),
            new JsSparseArray(4294967295L),
            resizable,
            JsTypedArray.tracking(JsTypedArray.Kind.INT8, resizable, 0),
            new JsTypedArray(JsTypedArray.Kind.INT16, buffer, 2, 4),
            new JsHostObject("DOMException"),
            object("\uD83D", 1),
            new JsDate(0.5),
            new JsDate(-0.0),
            new JsDate(9e15),
            new JsRegExp("a", 1 << 9),
            Double.longBitsToDouble(0x7FF8000000000001L),
            BigInteger.ONE.shiftLeft(5000))
        .map(VALUES::encode)
        .map(value -> Arguments.of(value, "kept"));
  }

  /** Bytes in a form that the encoder does not write. */
  static Stream<Arguments> odd() {
    return Stream.of(
            "ff0f4942cc", // bytes behind the value
            "ff0d4902", // an old version
            "ff114902", // a later version
            "ff1053016b", // Deno's version, and UTF-8
            "ff0f004902", // padding
            "ff0f530161", // UTF-8
            "ff0f63026100", // two bytes for a Latin-1 character
            "ff0f5502", // an unsigned int
            "ff0f5a0201", // a short bigint
            "ff0f6f22013049027b01", // an array index as a string
            "ff0f3b4e0000000000000080303a02", // -0 as a key of a Map
            "ff0f27490249022c02", // a member twice
            "", // no value at all
            "ff",
            "ff0f6f",
            "6162")
        .map(hex -> Arguments.of(v8(hex), hex));
  }

  static Stream<Arguments> keys() {
    return Stream.of(
        k(KvKey.EMPTY, "[]"),
        k(KvKey.of("users", "$bigint", ""), "['users','$bigint','']"),
        k(KvKey.of(1, 1.5, -7, 0), "[1,1.5,-7,0]"),
        k(KvKey.of(0x1p53, 0x1p53 + 2, 1e300), "[9007199254740992,9.007199254740994E15,1.0E300]"),
        k(KvKey.of(-0.0, Double.NaN), "[{'$number':'-0'},{'$number':'NaN'}]"),
        k(KvKey.of(NEGATIVE_NAN), "[{'$number':'-NaN'}]"),
        k(
            KvKey.of(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY),
            "[{'$number':'-Infinity'},{'$number':'Infinity'}]"),
        k(KvKey.of(1L, BigInteger.TEN.pow(20)), bigints("1", "100000000000000000000")),
        k(KvKey.of(true, false, new byte[] {0}), "[true,false,{'$bytes':'AA=='}]"),
        k(KvKey.fromEncoded(new byte[] {0x16, 0, 5}), "{'$key':'FgAF'}"),
        k(
            KvKey.fromEncoded(HexFormat.of().parseHex("21fff8000000000001")),
            "{'$key':'If/4AAAAAAAB'}"));
  }

  private static Arguments v(Object value, String json) {
    return v(value, json, json);
  }

  private static Arguments v(Object value, String json, String written) {
    return Arguments.of(VALUES.encode(value), json.replace('\'', '"'), written.replace('\'', '"'));
  }

  private static Arguments k(KvKey key, String json) {
    return Arguments.of(key, json.replace('\'', '"'));
  }

  private static KvValue v8(String hex) {
    return new KvValue(KvValue.Encoding.V8, HexFormat.of().parseHex(hex));
  }

  private static String regExp(String source, String flags) {
    return "{'$regexp':{'source':" + source + ",'flags':'" + flags + "'}}";
  }

  private static String boxes(String content) {
    return "[" + String.join(",", Collections.nCopies(3, "{'$boxed':" + content + "}")) + "]";
  }

  private static String bigints(String a, String b) {
    return "[{'$bigint':'" + a + "'},{'$bigint':'" + b + "'}]";
  }

  private static Map<String, Object> object(Object... namesAndValues) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      object.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return object;
  }

  private static JsSparseArray sparse(int length, Object... elements) {
    JsSparseArray array = new JsSparseArray(length);
    for (int i = 0; i < elements.length; i++) {
      array.put(i, elements[i]);
    }
    return array;
  }

  @ParameterizedTest
  @MethodSource("readable")
  void writesReadableValues(KvValue value, String json, String written) throws Exception {
    assertThat(KvJson.toJson(value)).hasToString(written);
    assertThat(KvJson.valueOf(JSON.readTree(json))).isEqualTo(value);
    assertThat(KvJson.valueOf(JSON.readTree(written))).isEqualTo(value);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ff0e", "ff0f", "ff10"})
  void convertsEquivalentVersionsToTheCurrentOne(String header) {
    for (Object value :
        List.of(1, object("a", "b"), new JsMap(Map.of(1, 2)), JsTypedArray.of(1f))) {
      KvValue ours = VALUES.encode(value);
      byte[] bytes = ours.bytes().clone();
      bytes[1] = HexFormat.of().parseHex(header)[1];
      var json = KvJson.toJson(new KvValue(KvValue.Encoding.V8, bytes));
      assertThat(json).isEqualTo(KvJson.toJson(ours));
      assertThat(json.has("$v8")).isFalse();
      assertThat(KvJson.valueOf(json)).isEqualTo(ours);
    }
  }

  @ParameterizedTest
  @MethodSource({"kept", "odd"})
  void keepsValuesThatJsonCannotExpressAsBytes(KvValue value, String from) {
    var json = KvJson.toJson(value);
    assertThat(json.has("$v8")).as(json.toString()).isTrue();
    assertThat(KvJson.valueOf(json)).isEqualTo(value);
  }

  @ParameterizedTest
  @MethodSource("keys")
  void writesReadableKeys(KvKey key, String json) throws Exception {
    assertThat(KvJson.toJson(key)).hasToString(json);
    assertThat(KvJson.keyOf(JSON.readTree(json))).isEqualTo(key);
  }
}
