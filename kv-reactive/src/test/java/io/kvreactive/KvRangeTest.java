package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.HexFormat;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KvRangeTest {
  private static final KvKey A = KvKey.of("a");
  private static final KvKey A_B = KvKey.of("a", "b");
  private static final KvKey A_C = KvKey.of("a", "c");
  private static final KvKey A_D = KvKey.of("a", "d");
  private static final KvKey A_Z = KvKey.of("a", "z");

  @Test
  void computesBoundsOfEachSelector() {
    bounds(KvRange.prefix("a"), "02610000", "026100ff");
    bounds(KvRange.prefix(A), "02610000", "026100ff");
    bounds(KvRange.all(), "00", "ff");
    bounds(KvRange.prefix(), "00", "ff");
    bounds(KvRange.prefixFrom(A, A_B), "026100026200", "026100ff");
    bounds(KvRange.prefixUntil(A, A_B), "02610000", "026100026200");
    bounds(KvRange.between(A, A_B), "026100", "026100026200");
    bounds(KvRange.single(A), "026100", "02610000");
    bounds(KvRange.ofEncoded(new byte[] {5}, new byte[] {(byte) 0xFF}), "05", "ff");
  }

  private static void bounds(KvRange range, String start, String end) {
    assertThat(HexFormat.of().formatHex(range.startBytes())).isEqualTo(start);
    assertThat(HexFormat.of().formatHex(range.endBytes())).isEqualTo(end);
  }

  @Test
  void excludesThePrefixItself() {
    KvRange range = KvRange.prefix("a");
    assertThat(range.contains(A)).isFalse();
    assertThat(range.contains(A_B)).isTrue();
    assertThat(range.contains(KvKey.of("ab"))).isFalse();
    assertThat(range.contains(KvKey.of("a\0b"))).isFalse();
    assertThat(KvRange.all().contains(KvKey.EMPTY)).isFalse();
    assertThat(KvRange.between(A, A_B).contains(A)).isTrue();
    assertThat(KvRange.single(A).contains(A)).isTrue();
    assertThat(KvRange.single(A).contains(A_B)).isFalse();
  }

  @Test
  void requiresBoundsBelowTheirPrefix() {
    for (KvKey bound : new KvKey[] {A, KvKey.of("b", "c"), KvKey.of("a\0b"), KvKey.EMPTY}) {
      invalidRange(() -> KvRange.prefixFrom(A, bound));
      invalidRange(() -> KvRange.prefixUntil(A, bound));
    }
  }

  @Test
  void rejectsAStartAfterTheEnd() {
    invalidRange(() -> KvRange.between(A_C, A_B));
    invalidRange(() -> KvRange.ofEncoded(new byte[] {2}, new byte[] {1}));
    assertThat(KvRange.between(A_B, A_B).isEmpty()).isTrue();
    assertThat(KvRange.between(A_B, A_C).isEmpty()).isFalse();
  }

  @Test
  void encodesCursorsLikeDeno() {
    assertThat(KvRange.prefix("a").cursorAfter(A_B)).isEqualTo("AmIA");
    assertThat(KvRange.prefix("a").cursorAfter(A_D)).isEqualTo("AmQA");
    assertThat(KvRange.between(A_B, A_Z).cursorAfter(A_C)).isEqualTo("YwA=");
  }

  @Test
  void resumesAfterTheCursorInEitherDirection() {
    KvRange range = KvRange.prefix("a");
    bounds(range.resume("AmIA", false), "02610002620000", "026100ff");
    bounds(range.resume("AmQA", true), "02610000", "026100026400");
    assertThat(range.resume("AmIA", false)).isEqualTo(range.after(A_B, false));
    assertThat(range.resume("AmIA", false).resume("AmQA", false))
        .isEqualTo(range.after(A_D, false));
    assertThat(range.resume("", true)).isSameAs(range);
  }

  @Test
  void encodesACursorForTheFirstKeyEvenIfTheEndBeginsWithIt() {
    KvRange range = KvRange.between(A, A_Z);
    String cursor = range.cursorAfter(A);
    assertThat(cursor).isEqualTo(".");
    assertThat(range.resume(cursor, false)).isEqualTo(range.after(A, false));
    assertThat(range.resume(cursor, true).isEmpty()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"YwA", "YwB=", "Yw A=", "=", "!", "Yw+/", "YwA=YwA=", "..", "ü", "A"})
  void rejectsMalformedCursors(String cursor) {
    invalidCursor(() -> KvRange.prefix("a").resume(cursor, false));
  }

  @Test
  void rejectsCursorsOutsideTheRange() {
    KvRange all = KvRange.prefix(A);
    KvRange from = KvRange.prefixFrom(A, A_C);
    KvRange until = KvRange.prefixUntil(A, A_C);
    invalidCursor(() -> from.resume(all.cursorAfter(A_B), false));
    invalidCursor(() -> until.resume(all.cursorAfter(A_D), true));
    invalidCursor(
        () ->
            all.resume(
                "__8=", true)); // 0xffff: the incremented part would be outside of the prefix
    assertThat(until.resume(all.cursorAfter(A_D), false).isEmpty()).isTrue();
    assertThat(from.resume(all.cursorAfter(A_B), true).isEmpty()).isTrue();
    invalidCursor(() -> all.cursorAfter(KvKey.of("b")));
    invalidCursor(() -> all.cursorAfter(KvKey.EMPTY));
  }

  @Test
  void comparesBoundsAndCursors() {
    assertThat(KvRange.prefix("a"))
        .isEqualTo(KvRange.prefix(A))
        .hasSameHashCodeAs(KvRange.prefix(A))
        .isNotEqualTo(KvRange.prefix("b"))
        .isNotEqualTo(KvRange.prefix("a").after(A_B, true));
  }

  @Test
  void readsWellInALog() {
    assertThat(KvRange.prefix("a")).hasToString("KvRange[[\"a\"]+00 .. [\"a\"]+ff]");
    assertThat(KvRange.between(A, KvKey.of(2))).hasToString("KvRange[[\"a\"] .. [2]]");
    assertThat(KvRange.ofEncoded(new byte[0], new byte[] {3, 4}))
        .hasToString("KvRange[[] .. 0x0304]");
  }

  private static void invalidRange(ThrowingCallable call) {
    assertThatExceptionOfType(KvException.class)
        .isThrownBy(call)
        .matches(e -> e.code() == KvErrorCode.INVALID_RANGE);
  }

  private static void invalidCursor(ThrowingCallable call) {
    assertThatExceptionOfType(KvException.class)
        .isThrownBy(call)
        .matches(e -> e.code() == KvErrorCode.INVALID_CURSOR);
  }

  @Test
  void containsStringsWithTheStartAndKeysThatContinueThem() {
    KvRange range = KvRange.startingWith(KvKey.of("n"), "ab");

    assertThat(range.contains(KvKey.of("n", "ab"))).isTrue();
    assertThat(range.contains(KvKey.of("n", "ab", 1))).isTrue();
    assertThat(range.contains(KvKey.of("n", "ab\0"))).isTrue();
    assertThat(range.contains(KvKey.of("n", "abc"))).isTrue();
    assertThat(range.contains(KvKey.of("n", "ab\uDBFF\uDFFF", 2))).isTrue();
    assertThat(range.contains(KvKey.of("n", "a"))).isFalse();
    assertThat(range.contains(KvKey.of("n", "a\0"))).isFalse();
    assertThat(range.contains(KvKey.of("n", "ac"))).isFalse();
    assertThat(range.contains(KvKey.of("n", 1, "ab"))).isFalse();
    assertThat(range.cursorAfter(KvKey.of("n", "abc"))).isNotEmpty();
  }
}
