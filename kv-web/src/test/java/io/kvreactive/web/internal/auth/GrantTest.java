package io.kvreactive.web.internal.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GrantTest {
  private static final byte[] STAMP = KvKey.of("00000000000000070000").bytes();

  private static Grant of(KvKey... prefixes) {
    return new Grant(
        "t", Set.of(AccessRight.READ, AccessRight.WRITE), List.of(prefixes), Set.of(), null);
  }

  private static boolean reaches(Grant grant, byte[] key) {
    try {
      grant.requireReach(key, append(key, 0));
      return true;
    } catch (KvException e) {
      assertThat(e.code()).isEqualTo(KvErrorCode.FORBIDDEN);
      return false;
    }
  }

  private static boolean reaches(Grant grant, byte[] start, byte[] end) {
    try {
      grant.requireReach(start, end);
      return true;
    } catch (KvException e) {
      return false;
    }
  }

  @Test
  void reachesThePrefixAndAllKeysBelow() {
    Grant grant = of(KvKey.of("a"));
    assertThat(reaches(grant, KvKey.of("a").bytes())).isTrue();
    assertThat(reaches(grant, KvKey.of("a", "b").bytes())).isTrue();
    assertThat(reaches(grant, KvKey.of("a", true).bytes())).isTrue();
    assertThat(reaches(grant, KvKey.of("a", new byte[] {(byte) 0xFF}).bytes())).isTrue();
    assertThat(reaches(grant, KvKey.of("a", Double.NaN).bytes())).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\0", "a\0b", "a\0\0", "a\u0001", "ab", "A", "", "a\0\u00FF"})
  void treatsALongerStringAsAnotherPart(String other) {
    assertThat(reaches(of(KvKey.of("a")), KvKey.of(other).bytes())).isFalse();
    assertThat(reaches(of(KvKey.of("a")), KvKey.of(other, "a").bytes())).isFalse();
  }

  @Test
  void treatsBytesLikeStrings() {
    Grant grant = of(KvKey.of((Object) new byte[] {1}));
    assertThat(reaches(grant, KvKey.of((Object) new byte[] {1, 0, 2}).bytes())).isFalse();
    assertThat(reaches(grant, KvKey.of((Object) new byte[] {1, 0}).bytes())).isFalse();
    assertThat(reaches(grant, KvKey.of(new byte[] {1}, "x").bytes())).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "02",
        "0261",
        "026100ff",
        "026100ff62",
        "0262",
        "FF",
        "026101",
        "0261ff",
        "01"
      })
  void rejectsRawKeysOutside(String hex) {
    assertThat(reaches(of(KvKey.of("a")), HexFormat.of().parseHex(hex.toLowerCase()))).isFalse();
  }

  @Test
  void reachesOnlyRangesInsideThePrefix() {
    Grant grant = of(KvKey.of("a"), KvKey.of("b"));
    byte[] a = KvKey.of("a").bytes();
    byte[] endOfA = end(a);
    byte[] b = KvKey.of("b").bytes();
    assertThat(reaches(grant, a, endOfA)).isTrue();
    assertThat(reaches(grant, append(a, 0), endOfA)).isTrue();
    assertThat(reaches(grant, a, append(endOfA, 0))).isFalse();
    assertThat(reaches(grant, a, b)).isFalse();
    assertThat(reaches(grant, a, end(b))).as("across two prefixes").isFalse();
    assertThat(reaches(grant, a, new byte[] {(byte) 0xFF})).as("as npm's client gets").isFalse();
    assertThat(reaches(grant, new byte[0], endOfA)).isFalse();
    assertThat(reaches(grant, Arrays.copyOf(a, a.length - 1), endOfA)).isFalse();
    assertThat(reaches(grant, new byte[0], new byte[] {(byte) 0xFF})).isFalse();
  }

  @Test
  void reachesNothingForAnEmptyRange() {
    byte[] a = KvKey.of("a").bytes();
    byte[] z = KvKey.of("z").bytes();
    assertThat(reaches(of(KvKey.of("b")), z, a)).as("it holds no key").isTrue();
    assertThat(reaches(of(KvKey.of("b")), a, a)).isTrue();
  }

  @Test
  void cutsRangesToThePrefix() {
    Grant grant = of(KvKey.of("a"));
    byte[] a = KvKey.of("a").bytes();
    byte[] all = {(byte) 0xFF};
    assertThat(grant.visibleEnd(a, all)).isEqualTo(end(a));
    assertThat(grant.visibleEnd(a, append(a, 2))).isEqualTo(append(a, 2));
    byte[] outside = KvKey.of("b").bytes();
    assertThat(reaches(grant, outside, grant.visibleEnd(outside, all))).isFalse();
    assertThat(of().visibleEnd(a, all)).isEqualTo(all);
  }

  @Test
  void allowsNoPrefixesForAdministrators() {
    assertThatThrownBy(
            () -> new Grant("t", Set.of(AccessRight.ADMIN), List.of(KvKey.of("a")), Set.of(), null))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> of(KvKey.of("a")).requireAllKeys()).isInstanceOf(KvException.class);
    assertThatCode(() -> of().requireAllKeys()).doesNotThrowAnyException();
  }

  @Property
  void reachesKeysThatBeginWithAPrefix(@ForAll("keys") KvKey prefix, @ForAll("keys") KvKey key) {
    assertThat(reaches(of(prefix), key.bytes())).isEqualTo(key.startsWith(prefix));
  }

  @Property
  void reachesNothingOutsideByASuffix(@ForAll("keys") KvKey prefix, @ForAll("keys") KvKey key) {
    byte[] suffixed = concat(key.bytes(), STAMP);
    assertThat(reaches(of(prefix), suffixed) || !reaches(of(prefix), key.bytes())).isTrue();
  }

  @Property
  void reachesAllKeysOfAReachableRange(
      @ForAll("keys") KvKey prefix,
      @ForAll("raw") byte[] start,
      @ForAll("raw") byte[] end,
      @ForAll("raw") byte[] key) {
    Grant grant = of(prefix);
    boolean inside =
        Arrays.compareUnsigned(start, key) <= 0 && Arrays.compareUnsigned(key, end) < 0;
    if (inside && reaches(grant, start, end)) {
      assertThat(reaches(grant, key)).isTrue();
    }
    if (inside && reaches(grant, start, grant.visibleEnd(start, end))) {
      boolean visible = Arrays.compareUnsigned(key, grant.visibleEnd(start, end)) < 0;
      assertThat(visible).isEqualTo(reaches(grant, key));
    }
  }

  @Provide
  Arbitrary<KvKey> keys() {
    Arbitrary<Object> part =
        Arbitraries.oneOf(
            Arbitraries.of("", "a", "a\0", "a\0b", "ab", "b", "\u00FF"),
            Arbitraries.of(true, false),
            Arbitraries.of(0.0, -1.0, 1.5, Double.POSITIVE_INFINITY),
            Arbitraries.of(0L, 1L, 255L, 256L, -1L, Long.MAX_VALUE),
            Arbitraries.of(new byte[0], new byte[] {0}, new byte[] {0, -1}, new byte[] {-1}));
    return part.list().ofMinSize(1).ofMaxSize(3).map(KvKey::of);
  }

  @Provide
  Arbitrary<byte[]> raw() {
    Arbitrary<Byte> bytes = Arbitraries.of((byte) 0, (byte) 1, (byte) 2, (byte) 'a', (byte) -1);
    return Arbitraries.oneOf(
        bytes.array(byte[].class).ofMaxSize(6),
        keys().map(KvKey::bytes),
        keys().map(key -> end(key.bytes())));
  }

  private static byte[] end(byte[] key) {
    return append(key, 0xFF);
  }

  private static byte[] append(byte[] key, int last) {
    return concat(key, new byte[] {(byte) last});
  }

  private static byte[] concat(byte[] one, byte[] other) {
    byte[] both = Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, both, one.length, other.length);
    return both;
  }
}
