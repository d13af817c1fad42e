package io.kvreactive.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.Keys;
import io.kvreactive.KvKey;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.value.RandomValues;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.testing.ShortTries;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/** The writer produces the same bytes as the trees. */
class KvJsonWriterTest {
  private static final ValueMapper VALUES = new ValueMapper();

  private static void assertEqualsTree(KvKey key, KvValue value) {
    KvJsonWriter writer = new KvJsonWriter();
    writer.raw("{\"key\":").key(key).raw(",\"value\":").value(value).raw("}");
    String line = KvJson.print(KvLine.of(key, value));
    assertThat(writer.toString()).isEqualTo(line);
    assertThat(writer.length()).isEqualTo(line.getBytes(StandardCharsets.UTF_8).length);
  }

  private static void assertEqualsTree(KvValue value) {
    assertEqualsTree(KvKey.of("k"), value);
  }

  private static void assertEqualsTree(byte[] v8) {
    assertEqualsTree(new KvValue(KvValue.Encoding.V8, v8));
  }

  @Property(tries = 3000)
  void writesValues(@ForAll long seed, @ForAll boolean plain) {
    assertEqualsTree(VALUES.encode(plain ? RandomValues.plainOf(seed) : RandomValues.of(seed)));
  }

  @Property(tries = 5000, edgeCases = EdgeCasesMode.NONE)
  @ShortTries(1500)
  void writesCommonValues(@ForAll("common") Object value) {
    assertEqualsTree(VALUES.encode(value));
  }

  /** Values that this library would encode differently are written as their bytes or rejected. */
  @Property(tries = 20_000, edgeCases = EdgeCasesMode.NONE)
  @ShortTries(4000)
  void writesDamagedValues(
      @ForAll("common") Object value, @ForAll("positions") int at, @ForAll byte to) {
    byte[] bytes = VALUES.encode(value).bytes().clone();
    if (bytes.length > 0) {
      bytes[at % bytes.length] = to;
    }
    assertEqualsTree(bytes);
  }

  @Property(tries = 5000, edgeCases = EdgeCasesMode.NONE)
  @ShortTries(1500)
  void writesCutAndExtendedValues(@ForAll("common") Object value, @ForAll("positions") int at) {
    byte[] bytes = VALUES.encode(value).bytes();
    assertEqualsTree(java.util.Arrays.copyOf(bytes, at % (bytes.length + 3)));
  }

  @Property
  void writesNoise(@ForAll byte[] bytes, @ForAll @Size(8) byte[] eight) {
    assertEqualsTree(bytes);
    assertEqualsTree(new KvValue(KvValue.Encoding.BYTES, bytes));
    assertEqualsTree(new KvValue(KvValue.Encoding.LE64, eight));
  }

  @Property(tries = 3000)
  void writesKeys(@ForAll("keys") KvKey key) {
    assertEqualsTree(key, VALUES.encode(1));
  }

  @Property(tries = 10_000, edgeCases = EdgeCasesMode.NONE)
  @ShortTries(2000)
  void writesDamagedKeys(@ForAll("keys") KvKey key, @ForAll("positions") int at, @ForAll byte to) {
    byte[] changed = key.append("end").encoded();
    changed[at % changed.length] = to;
    assertEqualsTree(KvKey.fromEncoded(changed), VALUES.encode(1));
  }

  @Example
  void writesDuplicateNames() {
    assertEqualsTree(new byte[] {-1, 15, 'o', '"', 1, 'a', '0', '"', 1, 'a', '0', '{', 2});
  }

  @Example
  void writesNumbersOfNonMinimalEncoding() {
    assertEqualsTree(new byte[] {-1, 15, 'I', (byte) 0x82, 0});
    assertEqualsTree(new byte[] {-1, 15, 'I', -1, -1, -1, -1, 0x1F});
  }

  @Example
  void writesManyAndDeepProperties() {
    Map<String, Object> many = new LinkedHashMap<>();
    for (int i = 0; i < 100; i++) {
      many.put("p" + i, i);
    }
    assertEqualsTree(VALUES.encode(many));
    Object deep = 1;
    for (int i = 0; i < 300; i++) {
      deep = List.of(deep);
    }
    assertEqualsTree(VALUES.encode(deep));
  }

  @Property
  void writesStringsAndStampsAsJson(@ForAll String string, @ForAll long version) throws Exception {
    Versionstamp stamp = Versionstamp.of(version);
    KvJsonWriter writer = new KvJsonWriter();
    writer.raw("[").string(string).raw(",").versionstamp(stamp).raw(",").number(version).raw("]");
    var read = new ObjectMapper().readTree(writer.toString());
    assertThat(read.get(0).textValue()).isEqualTo(string);
    assertThat(read.get(1).textValue()).isEqualTo(stamp.toString());
    assertThat(read.get(2).longValue()).isEqualTo(version);
    writer.reset();
    assertThat(writer.toBytes()).isEmpty();
  }

  @Provide
  Arbitrary<KvKey> keys() {
    return Arbitraries.oneOf(Keys.partLists().map(KvKey::of), Keys.crowdedKeys());
  }

  @Provide
  Arbitrary<Integer> positions() {
    return Arbitraries.integers().between(0, 1 << 20);
  }

  @Provide
  Arbitrary<Object> common() {
    return common(3);
  }

  private static Arbitrary<Object> common(int depth) {
    Arbitrary<String> text =
        Arbitraries.strings().ascii().withChars("\"\\$0\u00e9\u00ff\u20ac\n").ofMaxLength(8);
    Arbitrary<Object> leaf =
        Arbitraries.oneOf(
            text.map(t -> t),
            Arbitraries.integers().map(i -> i),
            Arbitraries.doubles().map(d -> d),
            Arbitraries.integers().map(i -> (double) i),
            Arbitraries.longs().map(l -> (double) l),
            Arbitraries.of(true, false, 0.0, -0.0, Double.NaN, 0x1p53, -0x1p53, 0x1p53 + 2));
    if (depth == 0) {
      return leaf;
    }
    return Arbitraries.frequencyOf(
        net.jqwik.api.Tuple.of(2, leaf),
        net.jqwik.api.Tuple.of(1, common(depth - 1).list().ofMaxSize(4).map(l -> l)),
        net.jqwik.api.Tuple.of(
            2, Arbitraries.maps(text, common(depth - 1)).ofMaxSize(4).map(m -> m)));
  }
}
