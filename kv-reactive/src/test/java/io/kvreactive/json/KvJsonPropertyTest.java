package io.kvreactive.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.Keys;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.value.RandomValues;
import io.kvreactive.internal.value.ValueMapper;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.Size;

class KvJsonPropertyTest {
  private static final ValueMapper VALUES = new ValueMapper();
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> TAGS =
      List.of(
          "$arrayBuffer",
          "$bigint",
          "$boxed",
          "$bytes",
          "$date",
          "$error",
          "$hole",
          "$key",
          "$map",
          "$number",
          "$object",
          "$regexp",
          "$set",
          "$sparse",
          "$string",
          "$typedArray",
          "$u64",
          "$undefined",
          "$v8",
          "$nothing");

  /** Writes and reads a value as a line of UTF-8, as in a file. */
  private static KvLine throughAFile(KvLine line) {
    byte[] utf8 = KvJson.print(line).getBytes(StandardCharsets.UTF_8);
    String text = new String(utf8, StandardCharsets.UTF_8);
    assertThat(text).doesNotContain("\n", "\r");
    return KvJson.parse(text);
  }

  private static void comesBack(KvValue value) throws Exception {
    JsonNode json = KvJson.toJson(value);
    KvValue back = json.has("$v8") ? value : inOurVersion(value);
    assertThat(KvJson.valueOf(json)).isEqualTo(back);
    assertThat(KvJson.valueOf(JSON.readTree(json.toString()))).isEqualTo(back);
    assertThat(throughAFile(KvLine.of(KvKey.EMPTY, value)).value()).isEqualTo(back);
  }

  /** Values with a notation are decoded with this library's version in their header. */
  private static KvValue inOurVersion(KvValue value) {
    byte[] bytes = value.bytes().clone();
    if (value.encoding() == KvValue.Encoding.V8 && (bytes[1] == 14 || bytes[1] == 16)) {
      bytes[1] = 15;
    }
    return new KvValue(value.encoding(), bytes);
  }

  @Property(tries = 3000)
  void roundTripsValuesByteForByte(@ForAll long seed, @ForAll boolean plain) throws Exception {
    comesBack(VALUES.encode(plain ? RandomValues.plainOf(seed) : RandomValues.of(seed)));
  }

  @Property
  void roundTripsValuesOfAnotherVersionInTheCurrentOne(@ForAll long seed, @ForAll boolean newer)
      throws Exception {
    KvValue ours = VALUES.encode(Arrays.asList(RandomValues.plainOf(seed)));
    byte[] bytes = ours.bytes().clone();
    bytes[1] = (byte) (newer ? 16 : 14);
    KvValue other = new KvValue(KvValue.Encoding.V8, bytes);
    comesBack(other);
    assertThat(KvJson.toJson(other)).isEqualTo(KvJson.toJson(ours));
  }

  @Property(tries = 3000)
  void roundTripsDamagedValues(@ForAll long seed, @ForAll("positions") int at, @ForAll byte to)
      throws Exception {
    KvValue value = VALUES.encode(RandomValues.plainOf(seed));
    byte[] damaged = value.bytes().clone();
    if (damaged.length > 0) {
      damaged[at % damaged.length] = to;
    }
    comesBack(new KvValue(value.encoding(), damaged));
  }

  @Property
  void roundTripsNoise(@ForAll byte[] bytes, @ForAll @Size(8) byte[] eight) throws Exception {
    comesBack(new KvValue(KvValue.Encoding.V8, bytes));
    comesBack(new KvValue(KvValue.Encoding.BYTES, bytes));
    comesBack(new KvValue(KvValue.Encoding.LE64, eight));
  }

  @Property
  void writesSupportedValuesInTheirNotation(@ForAll long seed) {
    KvValue value = VALUES.encode(Arrays.asList(RandomValues.plainOf(seed)));
    assertThat(KvJson.toJson(value).isArray()).isTrue();
  }

  @Property(tries = 3000)
  void roundTripsKeysByteForByte(@ForAll("keys") KvKey key) throws Exception {
    JsonNode json = KvJson.toJson(key);
    assertThat(json.isArray()).isTrue();
    assertThat(KvJson.keyOf(JSON.readTree(json.toString()))).isEqualTo(key);
    assertThat(throughAFile(KvLine.of(key, VALUES.encode(1))).key()).isEqualTo(key);
  }

  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void roundTripsOrRejectsEncodedKeys(
      @ForAll("keys") KvKey key, @ForAll("positions") int at, @ForAll byte to) {
    byte[] changed = key.append(true).encoded();
    changed[at % changed.length] = to;
    JsonNode json = KvJson.toJson(KvKey.fromEncoded(changed));
    if (decodes(changed)) {
      assertThat(KvJson.keyOf(json).encoded()).isEqualTo(changed);
    } else {
      assertThat(json.has("$key")).isTrue();
      assertThat(refused(KvErrorCode.INVALID_KEY, () -> KvJson.keyOf(json))).isTrue();
    }
  }

  private static boolean decodes(byte[] key) {
    return !refused(KvErrorCode.INVALID_KEY, () -> KvKey.decode(key));
  }

  private static boolean refused(KvErrorCode code, Runnable call) {
    try {
      call.run();
      return false;
    } catch (KvException e) {
      assertThat(e.code()).isEqualTo(code);
      assertThat(e.getMessage()).hasSizeLessThan(700);
      return true;
    }
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void roundTripsLines(
      @ForAll("keys") KvKey key, @ForAll long seed, @ForAll long version, @ForAll long expireAt) {
    KvValue value = VALUES.encode(RandomValues.of(seed));
    KvLine line = new KvLine(key, value, Versionstamp.of(version), expireAt & Long.MAX_VALUE);
    assertThat(throughAFile(line)).isEqualTo(line);
    assertThat(KvJson.lineOf(KvJson.toJson(line))).isEqualTo(line);
  }

  @Property(tries = 5000, edgeCases = EdgeCasesMode.NONE)
  void roundTripsOrRejectsAnyJsonAsAValue(@ForAll("json") JsonNode json) throws Exception {
    boolean refused = refused(KvErrorCode.INVALID_VALUE, () -> KvJson.valueOf(json));
    if (!refused) {
      comesBack(KvJson.valueOf(json));
    }
  }

  @Property(tries = 2000, edgeCases = EdgeCasesMode.NONE)
  void roundTripsOrRejectsAnyJsonAsAKey(@ForAll("json") JsonNode json) {
    boolean refused = refused(KvErrorCode.INVALID_KEY, () -> KvJson.keyOf(json));
    if (!refused) {
      KvKey key = KvJson.keyOf(json);
      assertThat(KvJson.keyOf(KvJson.toJson(key))).isEqualTo(key);
    }
  }

  @Provide
  Arbitrary<KvKey> keys() {
    return Arbitraries.oneOf(Keys.partLists().map(KvKey::of), Keys.crowdedKeys());
  }

  @Provide
  Arbitrary<Integer> positions() {
    return Arbitraries.integers().between(0, 1 << 20);
  }

  /** JSON with many valid and invalid forms. */
  @Provide
  Arbitrary<JsonNode> json() {
    return json(4);
  }

  private static Arbitrary<JsonNode> json(int depth) {
    JsonNodeFactory json = JsonNodeFactory.instance;
    Arbitrary<JsonNode> leaf =
        Arbitraries.oneOf(
            Arbitraries.of(
                json.nullNode(),
                json.booleanNode(true),
                json.numberNode(0),
                json.numberNode(55357),
                json.numberNode(-1.5),
                json.numberNode(1L << 60),
                json.textNode(""),
                json.textNode("0"),
                json.textNode("-12"),
                json.textNode("AQI="),
                json.textNode("/w9JAg=="),
                json.textNode("NaN"),
                json.textNode("\uD83D"),
                json.textNode("1970-01-01T00:00:00.001Z")));
    if (depth == 0) {
      return leaf;
    }
    Arbitrary<JsonNode> inner = json(depth - 1);
    Arbitrary<JsonNode> array =
        inner.list().ofMaxSize(3).map(list -> json.arrayNode().addAll(list));
    Arbitrary<JsonNode> form =
        Arbitraries.of(TAGS)
            .flatMap(tag -> inner.map(payload -> json.objectNode().set(tag, payload)));
    Arbitrary<String> names = Arbitraries.of("a", "$a", "7", "name", "cause", "source", "flags");
    Arbitrary<JsonNode> object =
        Arbitraries.maps(names, inner).ofMaxSize(3).map(map -> json.objectNode().setAll(map));
    return Arbitraries.frequencyOf(
        Tuple.of(2, leaf), Tuple.of(2, array), Tuple.of(4, form), Tuple.of(1, object));
  }
}
