package io.kvreactive.documents.internal.functions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LikePatternTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "fruit salad | %fruit% | true",
        "Fruit       | %fruit% | false",
        "grapefruit  | %fruit% | true",
        "Fruit       | _ruit   | true",
        "ruit        | _ruit   | false",
        "\"\"        | \"\"    | true",
        "\"\"        | %       | true",
        "\"\"        | _       | false",
        "abc         | abc     | true",
        "abcd        | abc     | false",
        "abc         | a%c     | true",
        "ac          | a%c     | true",
        "a           | a%a     | false",
        "abc         | %%b%%   | true",
        "abc         | a%%%%c  | true",
        "abc         | [a-f]bc | true",
        "gbc         | [a-f]bc | false",
        "gbc         | [^a-f]bc| true",
        "abc         | [^a-f]bc| false",
        "xbc         | [ax]b[c]| true",
        "5%          | 5[%]    | true",
        "50          | 5[%]    | false",
        "a]          | a[]]    | true",
        "a-          | a[-x]   | true",
        "a-          | a[x-]   | true",
        "am          | a[x-]   | false",
        "am          | a[z-a]  | false",
        "a^          | a[x^]   | true",
        "a[b         | a[b     | true",
        "a[          | a[      | true",
        "xx[abcxx    | %[a%    | true",
        "x1y2z       | %[0-9]_[0-9]% | true",
        "x1yyz       | %[0-9]_[0-9]% | false",
        "aab         | %ab     | true",
        "aba         | %ab     | false",
      })
  void matchesPatterns(String text, String pattern, boolean expected) {
    assertThat(LikePattern.compile(pattern, null).matches(text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "100% juice, %100!%%, true",
    "100 juice, %100!%%, false",
    "a_c, a!_c, true",
    "abc, a!_c, false",
    "a!c, a!!c, true",
    "a[b], a![b], true",
    "ab, a![b], false",
    "a], a[!]], true",
    "ax, a!x, true",
  })
  void honorsEscapeCharacters(String text, String pattern, boolean expected) {
    assertThat(LikePattern.compile(pattern, "!").matches(text)).isEqualTo(expected);
  }

  @Test
  void rejectsInvalidPatterns() {
    assertThat(LikePattern.compile("a", "")).isNull();
    assertThat(LikePattern.compile("a", "!!")).isNull();
    assertThat(LikePattern.compile("a!", "!")).isNull();
  }

  @Test
  void failsForPatternsThatAreTooLarge() {
    LikePattern tooLarge = LikePattern.compile("a%" + "_".repeat(1001) + "%", null);
    assertThatThrownBy(() -> tooLarge.matches("a"))
        .isInstanceOf(FunctionLimitException.class)
        .hasMessageStartingWith("QUERY_BUDGET_EXCEEDED: LIKE: ")
        .hasMessageContaining("at most 1000 characters");
    assertThat(LikePattern.compile("_".repeat(100_000) + "%", null).matches("a")).isFalse();
  }

  @Test
  void returnsItsPrefix() {
    LikePattern prefix = LikePattern.compile("abc%", null);
    assertThat(prefix.literalPrefix()).isEqualTo("abc");
    assertThat(prefix.isPrefix()).isTrue();
    assertThat(prefix.isExact()).isFalse();

    LikePattern exact = LikePattern.compile("a!%c", "!");
    assertThat(exact.literalPrefix()).isEqualTo("a%c");
    assertThat(exact.isExact()).isTrue();
    assertThat(exact.isPrefix()).isFalse();

    for (String other : new String[] {"abc%d", "abc%%d%", "abc_", "abc_%", "abc[a]"}) {
      LikePattern pattern = LikePattern.compile(other, null);
      assertThat(pattern.literalPrefix()).isEqualTo("abc");
      assertThat(pattern.isPrefix() || pattern.isExact()).as(other).isFalse();
    }
    assertThat(LikePattern.compile("abc%%", null).isPrefix()).isTrue();
    assertThat(LikePattern.compile("%a", null).literalPrefix()).isEmpty();
  }

  @Property(tries = 3000)
  void agreesWithANaiveMatcher(
      @ForAll @CharRange(from = 'a', to = 'c') @StringLength(max = 12) String text,
      @ForAll("patterns") String pattern) {
    assertThat(LikePattern.compile(pattern, null).matches(text))
        .isEqualTo(naive(pattern, 0, text, 0));
    String regex = pattern.replace("%", ".*").replace('_', '.');
    assertThat(LikePattern.compile(pattern, null).matches(text))
        .isEqualTo(Pattern.matches(regex, text));
  }

  @Provide
  Arbitrary<String> patterns() {
    return Arbitraries.of("a", "b", "c", "%", "_", "[ab]", "[^a]", "[a-b]", "ab")
        .list()
        .ofMaxSize(8)
        .map(parts -> String.join("", parts));
  }

  /** Matches by trying every length for each %. */
  private static boolean naive(String pattern, int p, String text, int t) {
    if (p == pattern.length()) {
      return t == text.length();
    }
    char c = pattern.charAt(p);
    if (c == '%') {
      for (int i = t; i <= text.length(); i++) {
        if (naive(pattern, p + 1, text, i)) {
          return true;
        }
      }
      return false;
    }
    if (t == text.length()) {
      return false;
    }
    if (c == '[') {
      int end = pattern.indexOf(']', p);
      String regex = pattern.substring(p, end + 1);
      return Pattern.matches(regex, text.substring(t, t + 1))
          && naive(pattern, end + 1, text, t + 1);
    }
    return (c == '_' || c == text.charAt(t)) && naive(pattern, p + 1, text, t + 1);
  }

  /** A matcher that backtracks or tries every position would not finish on these patterns. */
  @Test
  void matchesHostilePatternsCheaply() {
    String text = "a".repeat(1_000_000);
    assertThat(LikePattern.compile("%a".repeat(100_000) + "%b", null).matches(text)).isFalse();
    assertThat(LikePattern.compile("%" + "a".repeat(400_000) + "b%", null).matches(text + "c"))
        .isFalse();
    assertThat(LikePattern.compile("%_".repeat(100_000) + "b%", null).matches(text)).isFalse();
    assertThat(LikePattern.compile("[".repeat(200_000), null).matches(text)).isFalse();
    assertThat(LikePattern.compile("[a-\uffff]".repeat(100_000), null).matches(text)).isFalse();
  }
}
