package io.kvreactive.internal.value;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.value.JsArrayBuffer;
import io.kvreactive.value.JsBoxed;
import io.kvreactive.value.JsDate;
import io.kvreactive.value.JsError;
import io.kvreactive.value.JsHole;
import io.kvreactive.value.JsMap;
import io.kvreactive.value.JsRegExp;
import io.kvreactive.value.JsSet;
import io.kvreactive.value.JsSparseArray;
import io.kvreactive.value.JsTypedArray;
import io.kvreactive.value.JsUndefined;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Bytes that V8 wrote or reads, and their values. The hex omits the header. */
class V8VectorsTest {
  /** Written and read: captured from Deno 2.9.6. */
  static Stream<Arguments> both() {
    return Stream.of(
        v("bar", "2203626172"),
        v("", "2200"),
        v("a\uD83D\uDE2Eb", "630861003dd82ede6200"),
        v("\uD800x", "630400d87800"),
        v("\u00e9", "2201e9"),
        v("\u00ff", "2201ff"),
        v(12, "4918"),
        v(-12, "4917"),
        v(Integer.MAX_VALUE, "49feffffff0f"),
        v(Integer.MIN_VALUE, "49ffffffff0f"),
        v(1073741823, "49feffffff07"),
        v(1073741824, "498080808008"),
        v(1.5, "4e000000000000f83f"),
        v(4294967295.0, "4e0000e0ffffffef41"),
        v(-0.0, "4e0000000000000080"),
        v(Double.NaN, "4e000000000000f87f"),
        v(BigInteger.ZERO, "5a00"),
        v(BigInteger.valueOf(12), "5a100c00000000000000"),
        v(BigInteger.valueOf(-12), "5a110c00000000000000"),
        v(BigInteger.ONE.shiftLeft(64), "5a2000000000000000000100000000000000"),
        v(BigInteger.valueOf(Long.MIN_VALUE), "5a110000000000000080"),
        v(null, "30"),
        v(JsUndefined.UNDEFINED, "5f"),
        v(true, "54"),
        v(false, "46"),
        v(Map.of(), "6f7b00"),
        v(
            object("a", 1, "b", Arrays.asList(JsUndefined.UNDEFINED, null)),
            "6f220161490222016241025f302400027b02"),
        v(
            object("5", 2, "4294967294", 3, "b", 1, "4294967295", 4, "-1", 5, "01", 7),
            "6f490a49044e0000c0ffffffef4149062201624902220a34323934393637323935490822022d31490a"
                + "22023031490e7b06"),
        v(Arrays.asList(1.5, 2.0), "41024e000000000000f83f4e0000000000000040240002"),
        v(sparse(3, 0, 1, 2, 3), "61034900490249044906400203"),
        v(sparse(3), "6103400003"),
        v(arrayWithName(), "4102490249042203666f6f2203626172240102"),
        v(new JsMap(Map.of("k", 1)), "3b22016b49023a02"),
        v(new JsSet(List.of(1)), "2749022c01"),
        v(new JsDate(0), "440000000000000000"),
        v(new JsRegExp("a", JsRegExp.GLOBAL | JsRegExp.IGNORE_CASE), "5222016103"),
        v(JsTypedArray.of(1.0), "4208000000000000f03f5646000800"),
        v(object("x", new byte[] {1, 2}), "6f2201784202010256420002007b01"),
        v(new JsArrayBuffer(new byte[3]), "4203000000"),
        v(JsTypedArray.of(JsTypedArray.Kind.DATA_VIEW, new byte[2]), "42020000563f000200"),
        v(JsTypedArray.of(JsTypedArray.Kind.FLOAT16, new byte[] {0, 0x3c}), "4202003c5668000200"),
        v(JsArrayBuffer.resizable(new byte[2], 4), "7e02040000"),
        v(new JsBoxed(true), "79"),
        v(new JsBoxed(false), "78"),
        v(new JsBoxed(5), "6e0000000000001440"),
        v(new JsBoxed("s"), "73220173"),
        v(new JsBoxed(5L), "7a100500000000000000"),
        v(
            new JsError(JsError.Kind.TYPE_ERROR)
                .withMessage("m")
                .withStack("s")
                .withCause(JsUndefined.UNDEFINED),
            "72546d22016d73220173635f2e"));
  }

  /** Read only: written by older versions of V8, or never by V8. The hex includes the header. */
  static Stream<Arguments> readOnly() {
    return Stream.of(
        v("\u20ac", "ff0f5303e282ac"),
        v("\u20ac", "ff0f6302ac20"), // misaligned: rejected by V8
        v(4294967295.0, "ff0d55ffffffff0f"),
        v(12, "ff0f0000004918"),
        v(12, "ff0f3f024918"),
        v("bar", "ff002203626172"),
        v("bar", "ff102203626172ffff"),
        v(BigInteger.TWO, "ff0f5a0202"),
        v(new JsRegExp("\u20ac", 1), "ff0b5203e282ac01"),
        v(new JsBoxed("\u20ac"), "ff0b7303e282ac"),
        v(Arrays.asList(JsHole.HOLE, 1), "ff0a41025f4902240002"),
        v(Arrays.asList(JsHole.HOLE, 1), "ff0f41022d4902240002"),
        v(new byte[] {7}, "ff0d42010756420001"),
        v(
            object("1.5", true, "1e+21", false),
            "ff0f6f4e000000000000f83f544e1cabb2b9d7ac4a44467b02"
                .replace("1cabb2b9d7ac4a44", HexFormat.of().formatHex(doubleBytes(1e21)))),
        v(
            new JsError(JsError.Kind.ERROR).withMessage("m").withStack("s"),
            "ff0f72732201736d22016d2e"));
  }

  private static byte[] doubleBytes(double d) {
    return JsTypedArray.of(d).buffer().bytes();
  }

  private static Arguments v(Object value, String hex) {
    return Arguments.of(value, hex);
  }

  private static Map<String, Object> object(Object... namesAndValues) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      object.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return object;
  }

  private static JsSparseArray sparse(long length, Object... indicesAndValues) {
    JsSparseArray array = new JsSparseArray(length);
    for (int i = 0; i < indicesAndValues.length; i += 2) {
      array.put((Integer) indicesAndValues[i], indicesAndValues[i + 1]);
    }
    return array;
  }

  private static List<Object> arrayWithName() {
    io.kvreactive.value.JsArray array = new io.kvreactive.value.JsArray(List.of(1, 2));
    array.properties().put("foo", "bar");
    return array;
  }

  @ParameterizedTest
  @MethodSource("both")
  void encodes(Object value, String hex) {
    assertThat(HexFormat.of().formatHex(V8Encoder.encode(value, bean -> bean)))
        .isEqualTo("ff0f" + hex);
  }

  @ParameterizedTest
  @MethodSource("both")
  void decodesVersions15And16(Object value, String hex) {
    for (String header : List.of("ff0f", "ff10")) {
      Object decoded = V8Decoder.decode(HexFormat.of().parseHex(header + hex));
      assertThat(ValueDump.of(decoded)).isEqualTo(ValueDump.of(value));
      assertThat(decoded == null ? null : decoded instanceof Integer)
          .isEqualTo(value == null ? null : value instanceof Integer);
    }
  }

  @ParameterizedTest
  @MethodSource("readOnly")
  void decodes(Object value, String hex) {
    assertThat(ValueDump.of(V8Decoder.decode(HexFormat.of().parseHex(hex))))
        .isEqualTo(ValueDump.of(value));
  }

  @Test
  void keepsTheIdentityOfSharedPartsAndCycles() {
    Map<String, Object> root = object("self", null);
    List<Object> shared = new ArrayList<>(List.of(root));
    root.put("self", root);
    root.put("a", shared);
    root.put("b", shared);

    Map<?, ?> decoded = (Map<?, ?>) V8Decoder.decode(V8Encoder.encode(root, bean -> bean));

    assertThat(decoded.get("self")).isSameAs(decoded);
    assertThat(decoded.get("a")).isSameAs(decoded.get("b"));
    assertThat(((List<?>) decoded.get("a")).get(0)).isSameAs(decoded);
  }

  @Test
  void keepsASharedBufferAsOne() {
    // {a: u8, b: u8, c: u8.buffer, d: new Uint8Array(u8.buffer)}, as Deno 2.9.6 wrote it
    String hex = "ff0f6f220161420301020356420003002201625e022201635e012201645e0156420003007b04";
    Map<?, ?> decoded = (Map<?, ?>) V8Decoder.decode(HexFormat.of().parseHex(hex));

    assertThat(decoded.get("a")).isInstanceOf(byte[].class).isSameAs(decoded.get("b"));
    assertThat(((JsArrayBuffer) decoded.get("c")).bytes()).isSameAs(decoded.get("a"));
    assertThat(((JsTypedArray) decoded.get("d")).buffer().bytes()).isSameAs(decoded.get("a"));
    assertThat(HexFormat.of().formatHex(V8Encoder.encode(decoded, bean -> bean))).isEqualTo(hex);
  }

  @Test
  void supportsAnErrorThatIsItsOwnCause() {
    // e.cause = e, as Deno 2.9.6 wrote it but for the stack
    String hex = "ff0f726d220163635e002e";
    JsError decoded = (JsError) V8Decoder.decode(HexFormat.of().parseHex(hex));

    assertThat(decoded.cause()).isSameAs(decoded);
    assertThat(HexFormat.of().formatHex(V8Encoder.encode(decoded, bean -> bean))).isEqualTo(hex);
  }

  @Test
  void alignsTwoByteStringsToEvenOffsets() {
    for (int before = 0; before < 6; before++) {
      for (int length : new int[] {1, 63, 64, 70, 8191, 8192, 9000}) {
        String wide = "\u20ac".repeat(length);
        List<String> list = List.of("x".repeat(before), wide);
        byte[] bytes = V8Encoder.encode(list, bean -> bean);
        int start =
            new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1).indexOf("\u00ac ");
        assertThat(start)
            .isPositive()
            .is(new org.assertj.core.api.Condition<>(i -> i % 2 == 0, "even"));
        assertThat(V8Decoder.decode(bytes)).isEqualTo(list);
      }
    }
  }

  @Test
  void comparesMapKeysLikeJavaScript() {
    List<Object> list = new ArrayList<>();
    JsMap map = new JsMap();
    map.put(1, "int");
    map.put(1.0, "number");
    map.put(1L, "bigint");
    map.put(BigInteger.ONE, "bigint again");
    map.put(Double.NaN, "nan");
    map.put(-0.0, "zero");
    map.put(list, "first");
    map.put(new ArrayList<>(), "second");
    map.put(null, "null");
    map.put(JsUndefined.UNDEFINED, "undefined");

    assertThat(map).hasSize(8);
    assertThat(map.get(1)).isEqualTo("number");
    assertThat(map.get(1L)).isEqualTo("bigint again");
    assertThat(map.get(Double.NaN)).isEqualTo("nan");
    assertThat(map.get(0)).isEqualTo("zero");
    assertThat(map.get(list)).isEqualTo("first");
    assertThat(map.get(new ArrayList<>())).isNull();
    assertThat(map.remove(null)).isEqualTo("null");
    assertThat(map.containsKey(null)).isFalse();
  }

  @Test
  void readsASparseArrayAsACompactList() {
    JsSparseArray array = sparse(5, 1, "b");
    List<Object> dense = Arrays.asList(JsHole.HOLE, "b", JsHole.HOLE, JsHole.HOLE, JsHole.HOLE);
    assertThat(array.hashCode()).isEqualTo(dense.hashCode());
    assertThat((Object) dense).isEqualTo(array);
    assertThat((Object) array).isEqualTo(dense);
    assertThat(new JsSparseArray(JsSparseArray.MAX_LENGTH).size()).isEqualTo(Integer.MAX_VALUE);
    assertThat(array.put(1, JsHole.HOLE)).isEqualTo("b");
    assertThat(array.elements()).isEmpty();
  }
}
