package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.math.BigInteger;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Encoded keys as Deno KV writes them. */
class KvKeyVectorsTest {
  private static final double NAN_WITH_SIGN = Double.longBitsToDouble(0xFFF8000000000000L);
  private static final BigInteger MINUS_TWENTY_BYTES =
      new BigInteger("1122334455667788990011223344556677889900", 16).negate();

  static Stream<Arguments> vectors() {
    return Stream.of(
        arguments(List.of(), ""),
        arguments(List.of("foo"), "02 66 6F 6F 00"),
        arguments(List.of(""), "02 00"),
        arguments(List.of("f\0o"), "02 66 00 FF 6F 00"),
        arguments(List.of("é€\uD83D\uDE2E"), "02 C3 A9 E2 82 AC F0 9F 98 AE 00"),
        arguments(List.of(bytes("04 00 04")), "01 04 00 FF 04 00"),
        arguments(List.of(bytes("01 02 00 07 08")), "01 01 02 00 FF 07 08 00"),
        arguments(List.of(0.0), "21 80 00 00 00 00 00 00 00"),
        arguments(List.of(-0.0), "21 7F FF FF FF FF FF FF FF"),
        arguments(List.of(123.456), "21 C0 5E DD 2F 1A 9F BE 77"),
        arguments(List.of(200.0), "21 C0 69 00 00 00 00 00 00"),
        arguments(List.of(-300.0), "21 3F 8D 3F FF FF FF FF FF"),
        arguments(List.of(Double.POSITIVE_INFINITY), "21 FF F0 00 00 00 00 00 00"),
        arguments(List.of(Double.NEGATIVE_INFINITY), "21 00 0F FF FF FF FF FF FF"),
        arguments(List.of(Double.NaN), "21 FF F8 00 00 00 00 00 00"),
        arguments(List.of(NAN_WITH_SIGN), "21 00 07 FF FF FF FF FF FF"),
        arguments(List.of(bigint("0")), "14"),
        arguments(List.of(bigint("C8")), "15 C8"),
        arguments(List.of(bigint("-C8")), "13 37"),
        arguments(List.of(BigInteger.valueOf(600)), "16 02 58"),
        arguments(List.of(BigInteger.valueOf(70_000)), "17 01 11 70"),
        arguments(List.of(bigint("1122334455667788")), "1C 11 22 33 44 55 66 77 88"),
        arguments(List.of(bigint("8000000000000000")), "1C 80 00 00 00 00 00 00 00"),
        arguments(List.of(bigint("-8000000000000000")), "0C 7F FF FF FF FF FF FF FF"),
        arguments(List.of(bigint("-FFFFFFFFFFFFFFFF")), "0C 00 00 00 00 00 00 00 00"),
        arguments(List.of(bigint("112233445566778899")), "1D 09 11 22 33 44 55 66 77 88 99"),
        arguments(
            List.of(MINUS_TWENTY_BYTES),
            "0B EB EE DD CC BB AA 99 88 77 66 FF EE DD CC BB AA 99 88 77 66 FF"),
        arguments(List.of(false), "26"),
        arguments(List.of(true), "27"),
        arguments(
            List.of("hello", bytes("01 02 00 07 08")),
            "02 68 65 6C 6C 6F 00 01 01 02 00 FF 07 08 00"));
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void encodes(List<Object> parts, String hex) {
    assertThat(KvKey.of(parts).encoded()).isEqualTo(bytes(hex));
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void decodes(List<Object> parts, String hex) {
    KvKey key = KvKey.decode(bytes(hex));
    assertThat(Keys.PART_WISE.compare(key.parts(), parts)).isZero();
    assertThat(key.size()).isEqualTo(parts.size());
    assertThat(KvKey.of(key.parts()).encoded()).isEqualTo(bytes(hex));
  }

  private static BigInteger bigint(String hex) {
    return new BigInteger(hex, 16);
  }

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex.replace(" ", ""));
  }
}
