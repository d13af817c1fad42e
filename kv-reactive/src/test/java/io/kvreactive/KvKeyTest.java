package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KvKeyTest {
  @Test
  void derivesTheKindFromTheJavaType() {
    KvKey number = KvKey.of(7);
    assertThat(Stream.of((short) 7, (byte) 7, 7.0, 7f).map(KvKey::of)).containsOnly(number);
    assertThat(KvKey.of(7L)).isEqualTo(KvKey.of(BigInteger.valueOf(7))).isNotEqualTo(number);
    assertThat(KvKey.of(Integer.MIN_VALUE).part(0)).isEqualTo(-2147483648.0);
    assertThat(KvKey.of(Long.MIN_VALUE).part(0)).isEqualTo(BigInteger.valueOf(Long.MIN_VALUE));
  }

  @Test
  void ordersKindsAsBytesStringBigintNumberBoolean() {
    assertThat(
            Stream.of(KvKey.of(true), KvKey.of(-9.0), KvKey.of("z"), KvKey.of(9L), KvKey.of(false))
                .sorted())
        .containsExactly(
            KvKey.of("z"), KvKey.of(9L), KvKey.of(-9.0), KvKey.of(false), KvKey.of(true));
    assertThat(KvKey.of(new byte[] {-1})).isLessThan(KvKey.of(""));
    assertThat(KvKey.EMPTY).isLessThan(KvKey.of(new byte[0]));
  }

  @Test
  void copiesBytesInAndOut() {
    byte[] part = {1, 2};
    KvKey key = KvKey.of((Object) part);
    part[0] = 9;
    key.bytesAt(0)[1] = 9;
    ((byte[]) key.parts().get(0))[0] = 9;
    key.encoded()[0] = 9;
    assertThat(key).isEqualTo(KvKey.of((Object) new byte[] {1, 2}));

    byte[] encoded = key.encoded();
    KvKey decoded = KvKey.decode(encoded);
    encoded[1] = 9;
    assertThat(decoded).isEqualTo(key);
  }

  @Test
  void copiesTheRemainingBytesOfABufferWithoutMovingItsPosition() {
    ByteBuffer buffer = ByteBuffer.wrap(new byte[] {1, 2, 3, 4}).position(1).limit(3);
    assertThat(KvKey.of(buffer)).isEqualTo(KvKey.of((Object) new byte[] {2, 3}));
    assertThat(buffer.position()).isEqualTo(1);
    assertThat(KvKey.of(buffer.asReadOnlyBuffer())).isEqualTo(KvKey.of(buffer));
  }

  @Test
  void replacesLoneSurrogates() {
    assertThat(KvKey.of("a\uD83D", "\uDE2Eb", "\uDE2E\uD83D").parts())
        .containsExactly("a\uFFFD", "\uFFFDb", "\uFFFD\uFFFD");
  }

  @Test
  void treatsAllNaNsOfASignAsOneKey() {
    assertThat(KvKey.of(Double.longBitsToDouble(0x7FF0000000000001L)))
        .isEqualTo(KvKey.of(Double.NaN));
    assertThat(KvKey.of(Double.longBitsToDouble(0xFFFFFFFFFFFFFFFFL)))
        .isEqualTo(KvKey.of(Float.intBitsToFloat(0xFFC00000)))
        .isNotEqualTo(KvKey.of(Double.NaN));
  }

  @Test
  void rejectsOtherTypesByNameAndPosition() {
    invalid(() -> KvKey.of("a", UUID.randomUUID()))
        .withMessageContaining("key part 1: java.util.UUID (expected: byte[], ")
        .withMessageContaining("use its toString()");
    invalid(() -> KvKey.of(List.of("a", 'x'))).withMessageContaining("String.valueOf()");
    invalid(() -> KvKey.of("a", List.of("b"))).withMessageContaining("parts do not nest");
    invalid(() -> KvKey.of("a").append(Thread.State.NEW)).withMessageContaining("key part 1:");
    invalid(() -> KvKey.of(Arrays.asList("a", null))).withMessageContaining("key part 1: null");
  }

  @Test
  void limitsBigintsTo255Bytes() {
    BigInteger largest = BigInteger.ONE.shiftLeft(255 * 8).subtract(BigInteger.ONE);
    assertThat(KvKey.of(largest, largest.negate()).parts())
        .containsExactly(largest, largest.negate());
    invalid(() -> KvKey.of(largest.add(BigInteger.ONE)))
        .withMessageContaining("key part 0: integer of 256 bytes (expected: at most 255)");
  }

  @ParameterizedTest
  @CsvSource({
    "00, byte 0",
    "05, byte 0",
    "0A, byte 0",
    "1E, byte 0",
    "20, byte 0",
    "28, byte 0",
    "FF, byte 0",
    "26 30, byte 1",
    "02 61, byte 0",
    "02 61 00 FF, byte 0",
    "01 00 FF 00 FF, byte 0",
    "02 FF 00, byte 1",
    "02 C0 80 00, byte 1",
    "02 ED A0 80 00, byte 1",
    "27 21 00 00 00 00 00 00 00, byte 1",
    "16 01, byte 0",
    "0C FF FF, byte 0",
    "1D, byte 0",
    "1D 09 00, byte 0",
    "0B 00 00, byte 0"
  })
  void rejectsMalformedBytesWithTheirOffset(String hex, String offset) {
    byte[] encoded = HexFormat.of().parseHex(hex.replace(" ", ""));
    invalid(() -> KvKey.decode(encoded)).withMessageContaining(offset + " of encoded key 0x");

    KvKey unchecked = KvKey.fromEncoded(encoded);
    invalid(unchecked::parts);
    assertThat(unchecked.toString()).contains("malformed 0x");
  }

  @Test
  void readsIntegersThatAreNotMinimal() {
    KvKey key = KvKey.decode(new byte[] {0x16, 0, 5, 0x13, (byte) 0xFF, 0x1D, 1, 7, 0x1D, 0});
    assertThat(key.parts())
        .containsExactly(
            BigInteger.valueOf(5), BigInteger.ZERO, BigInteger.valueOf(7), BigInteger.ZERO);
    assertThat(key).isNotEqualTo(KvKey.of(key.parts()));
  }

  @Test
  void readsPartsByPositionAndKind() {
    KvKey key = KvKey.of("s", new byte[] {1}, 12L, 1.5, true);
    assertThat(key.stringAt(0)).isEqualTo("s");
    assertThat(key.bytesAt(1)).containsExactly(1);
    assertThat(key.bigintAt(2)).isEqualTo(12);
    assertThat(key.numberAt(3)).isEqualTo(1.5);
    assertThat(key.booleanAt(4)).isTrue();
    invalid(() -> key.stringAt(2)).withMessageContaining("part 2 of key " + key);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 2, Integer.MIN_VALUE, Integer.MAX_VALUE})
  void rejectsPositionsOutsideTheKey(int index) {
    assertThatExceptionOfType(KvException.class)
        .isThrownBy(() -> KvKey.of("a", "b").part(index))
        .matches(e -> e.code() == KvErrorCode.INVALID_ARGUMENT);
  }

  @Test
  void matchesPrefixesOfWholeParts() {
    KvKey key = KvKey.of("a", 1);
    assertThat(key.startsWith(key)).isTrue();
    assertThat(key.startsWith(KvKey.of("a"))).isTrue();
    assertThat(key.startsWith(KvKey.EMPTY)).isTrue();
    assertThat(key.startsWith(KvKey.of("a", 1, 2))).isFalse();
    assertThat(KvKey.of("ab").startsWith(KvKey.of("a"))).isFalse();
    assertThat(KvKey.of("a\0b").startsWith(KvKey.of("a"))).isFalse();
  }

  @Test
  void appendsAndRemovesParts() {
    KvKey key = KvKey.of("a").append(1, true).append();
    assertThat(key).isEqualTo(KvKey.of("a", 1, true)).hasSameHashCodeAs(KvKey.of("a", 1, true));
    assertThat(key.parent()).isEqualTo(KvKey.of("a", 1));
    assertThat(KvKey.of("a").parent()).isSameAs(KvKey.EMPTY);
    assertThat(KvKey.of()).isSameAs(KvKey.of(List.of())).isSameAs(KvKey.EMPTY);
    assertThat(KvKey.EMPTY.isEmpty()).isTrue();
    invalid(KvKey.EMPTY::parent);
  }

  @Test
  void readsWellInALog() {
    assertThat(KvKey.of("users", 12L, 1.5, true, new byte[] {1, 4}))
        .hasToString("[\"users\", 12n, 1.5, true, 0x0104]");
    assertThat(KvKey.of(12, -0.0, Double.NaN, -1L, "q\"\\\n\u0001é", new byte[0]))
        .hasToString("[12, -0, NaN, -1n, \"q\\\"\\\\\\n\\u0001é\", 0x]");
    assertThat(KvKey.EMPTY).hasToString("[]");
    assertThat(KvKey.of("x".repeat(5000), "y", "z").toString()).hasSizeLessThan(300).contains("…");
    assertThat(KvKey.of(BigInteger.TEN.pow(600)).toString()).hasSizeLessThan(300).endsWith("…n]");
    assertThat(KvKey.of((Object) new byte[500]).toString()).hasSizeLessThan(300).endsWith("…]");
  }

  private static ThrowableAssertAlternative<KvException> invalid(ThrowingCallable call) {
    return assertThatExceptionOfType(KvException.class)
        .isThrownBy(call)
        .matches(e -> e.code() == KvErrorCode.INVALID_KEY, "has the code INVALID_KEY");
  }
}
