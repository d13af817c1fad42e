package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.internal.key.TupleReader;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class KvKeyPropertyTest {
  @Property
  void decodesEncodedParts(@ForAll("partLists") List<Object> parts) {
    KvKey key = KvKey.decode(KvKey.of(parts).encoded());
    assertThat(Keys.PART_WISE.compare(key.parts(), parts)).isZero();
    assertThat(KvKey.of(key.parts())).isEqualTo(key);
    assertThat(key.size()).isEqualTo(parts.size());
    for (int i = 0; i < parts.size(); i++) {
      assertThat(Keys.PART_WISE.compare(List.of(key.part(i)), List.of(parts.get(i)))).isZero();
    }
  }

  @Property(tries = 5000)
  void ordersBytesLikeParts(
      @ForAll("partLists") List<Object> a, @ForAll("partLists") List<Object> b) {
    agree(KvKey.of(a), a, KvKey.of(b), b);
  }

  @Property(tries = 5000)
  void ordersBytesOfNeighboursLikeParts(@ForAll("crowded") KvKey a, @ForAll("crowded") KvKey b) {
    agree(a, a.parts(), b, b.parts());
  }

  private static void agree(KvKey a, List<Object> partsOfA, KvKey b, List<Object> partsOfB) {
    int plain = Integer.signum(Keys.PART_WISE.compare(partsOfA, partsOfB));
    assertThat(Integer.signum(a.compareTo(b))).isEqualTo(plain);
    assertThat(a.equals(b)).isEqualTo(plain == 0);
    if (plain == 0) {
      assertThat(a).hasSameHashCodeAs(b);
    }
  }

  @Property(tries = 5000)
  void startsWithComparesWholeParts(@ForAll("crowded") KvKey key, @ForAll("crowded") KvKey prefix) {
    assertThat(key.startsWith(prefix)).isEqualTo(plainStartsWith(key, prefix));
    KvKey longer = prefix.append(key.parts().toArray());
    assertThat(longer.startsWith(prefix)).isTrue();
    assertThat(longer.size()).isEqualTo(prefix.size() + key.size());
  }

  static boolean plainStartsWith(KvKey key, KvKey prefix) {
    return key.size() >= prefix.size()
        && Keys.PART_WISE.compare(key.parts().subList(0, prefix.size()), prefix.parts()) == 0;
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void parentUndoesAppend(@ForAll("partLists") List<Object> parts, @ForAll("parts") Object last) {
    assertThat(KvKey.of(parts).append(last).parent()).isEqualTo(KvKey.of(parts));
  }

  @Property(tries = 5000)
  void recognizesCanonicalEncodings(@ForAll("hostile") byte[] encoded) {
    KvKey key = KvKey.fromEncoded(encoded);
    boolean made;
    try {
      made = KvKey.of(key.parts()).equals(key);
    } catch (KvException e) {
      made = false;
    }
    assertThat(key.isCanonical()).isEqualTo(made);
  }

  @Property
  void encodesKeysCanonically(@ForAll("partLists") List<Object> parts) {
    KvKey key = KvKey.of(parts);
    assertThat(key.isCanonical()).isTrue();
    for (int size = 0; size <= parts.size(); size++) {
      assertThat(key.prefix(size)).isEqualTo(KvKey.of(parts.subList(0, size)));
    }
    assertThatThrownBy(() -> key.prefix(parts.size() + 1)).isInstanceOf(KvException.class);
  }

  @Property(tries = 5000)
  void decodesOrRejectsAnyBytes(@ForAll("hostile") byte[] encoded) {
    KvKey key = KvKey.fromEncoded(encoded);
    boolean readable = onlyInvalidKey(() -> KvKey.decode(encoded));
    assertThat(onlyInvalidKey(key::parts)).isEqualTo(readable);
    onlyInvalidKey(key::size);
    onlyInvalidKey(key::parent);
    onlyInvalidKey(() -> skipAll(encoded));
    assertThatCode(key::toString).doesNotThrowAnyException();
    assertThat(key.toString()).hasSizeLessThan(700);
    if (readable) {
      // keys with equal parts are equal once integers are minimal and NaNs are canonical
      KvKey plain = KvKey.of(key.parts());
      assertThat(Keys.PART_WISE.compare(plain.parts(), key.parts())).isZero();
    }
  }

  private static void skipAll(byte[] encoded) {
    for (TupleReader in = new TupleReader(encoded); in.hasNext(); ) {
      in.skip();
    }
  }

  private static boolean onlyInvalidKey(Runnable call) {
    try {
      call.run();
      return true;
    } catch (KvException e) {
      assertThat(e.code()).isEqualTo(KvErrorCode.INVALID_KEY);
      return false;
    }
  }

  @Provide
  Arbitrary<List<Object>> partLists() {
    return Keys.partLists();
  }

  @Provide
  Arbitrary<Object> parts() {
    return Keys.parts();
  }

  @Provide
  Arbitrary<KvKey> crowded() {
    return Keys.crowdedKeys();
  }

  /** Noise, cut keys, and keys with one byte changed. */
  @Provide
  Arbitrary<byte[]> hostile() {
    Arbitrary<byte[]> keys =
        Keys.partLists().map(KvKey::of).map(KvKey::encoded).filter(bytes -> bytes.length > 0);
    Arbitrary<Integer> somewhere = Arbitraries.integers().between(0, 1 << 20);
    return Arbitraries.oneOf(
        Arbitraries.bytes().array(byte[].class).ofMaxSize(40),
        keys.flatMap(key -> somewhere.map(at -> Arrays.copyOf(key, at % key.length))),
        keys.flatMap(
            key ->
                somewhere.flatMap(
                    at -> Arbitraries.bytes().map(b -> changed(key, at % key.length, b)))));
  }

  private static byte[] changed(byte[] key, int at, byte value) {
    byte[] copy = key.clone();
    copy[at] = value;
    return copy;
  }
}
