package io.kvreactive.documents.internal.functions;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.EvaluationContext;
import io.kvreactive.documents.spi.ScalarFunction;
import org.junit.jupiter.api.Test;

class RegexFunctionTest {
  private static final JsonNode LONG = Values.text("a".repeat(200_000) + "!");

  @Test
  void findsAnywhere() {
    Table.check(
        """
        REGEXMATCH("Tecozow coat", " coat{1}") -> true
        REGEXMATCH("abcd", "ABC") -> false
        REGEXMATCH("abcd", "ABC", "") -> false
        REGEXMATCH("abcd", "ABC", "i") -> true
        REGEXMATCH("abcd", "^bc") -> false
        REGEXMATCH("a\\nb", "^b") -> false
        REGEXMATCH("a\\nb", "^b", "m") -> true
        REGEXMATCH("a\\nb", "a.b") -> false
        REGEXMATCH("a\\nb", "a.b", "s") -> true
        REGEXMATCH("abcd", "a b # c\\n c", "x") -> true
        REGEXMATCH("a b", "a\\\\ b", "x") -> true
        REGEXMATCH("a b", "a[ ]b", "x") -> true
        REGEXMATCH("ABcd", "ab c", "ixsm") -> true
        REGEXMATCH("", "") -> true
        """);
  }

  @Test
  void returnsUndefinedForInvalidArguments() {
    Table.check(
        """
        REGEXMATCH("abcd", "(") -> undefined
        REGEXMATCH("abcd", "abc", "g") -> undefined
        REGEXMATCH("abcd", "abc", null) -> undefined
        REGEXMATCH("aa", "(a)\\\\1") -> undefined
        REGEXMATCH("ab", "a(?=b)") -> undefined
        REGEXMATCH(5, "5") -> undefined
        REGEXMATCH("5", 5) -> undefined
        REGEXMATCH(undefined, "a") -> undefined
        REGEXMATCH("a", undefined) -> undefined
        """);
  }

  @Test
  void matchesHostilePatternsCheaply() {
    EvaluationContext context = Table.context(false);
    for (String pattern : new String[] {"(a+)+$", "(a|aa)+$", "((((a*)*)*)*)*$"}) {
      assertThat(Table.call("REGEXMATCH", context, LONG, Values.text(pattern)).isBoolean())
          .as(pattern)
          .isTrue();
    }
    for (String pattern :
        new String[] {
          "((a{100}){100}){100}",
          "(.*a){1000}",
          "((a{1,99}){1,99})",
          "(".repeat(100_000),
          "(".repeat(3000) + "a" + ")".repeat(3000),
          "(?:".repeat(200) + "a" + ")".repeat(200),
          "a?".repeat(4000)
        }) {
      Table.checkTooLarge("REGEXMATCH", LONG, Values.text(pattern));
    }
  }

  @Test
  void acceptsOrdinaryPatterns() {
    Table.check(
        """
        REGEXMATCH("x{1}", "\\\\Qx{1}\\\\E") -> true
        REGEXMATCH("é", "^\\\\p{L}{1}$") -> true
        REGEXMATCH("é", "^\\\\x{e9}$") -> true
        REGEXMATCH("a{", "a{") -> true
        REGEXMATCH("]", "[]]") -> true
        REGEXMATCH("12345678-abcd", "^[0-9a-f]{8}-[0-9a-f]{4}$") -> true
        REGEXMATCH("aaa", "^(a{3}){1}$") -> true
        """);
  }

  @Test
  void returnsTheSameValuesWhenPrepared() {
    ScalarFunction function = FunctionRegistry.find("REGEXMATCH");
    JsonNode pattern = Values.text("B");
    JsonNode flags = Values.text("i");
    JsonNode text = Values.text("abc");
    EvaluationContext context = Table.context(false);

    ScalarFunction noFlags = function.prepare(i -> i == 1 ? pattern : null);
    assertThat(noFlags.call(new JsonNode[] {text, pattern}, context)).isEqualTo(Values.FALSE);
    assertThat(noFlags.call(new JsonNode[] {text, pattern, flags}, context)).isEqualTo(Values.TRUE);

    ScalarFunction both = function.prepare(i -> i == 1 ? pattern : i == 2 ? flags : null);
    assertThat(both.call(new JsonNode[] {text, pattern, flags}, context)).isEqualTo(Values.TRUE);
    assertThat(both.call(new JsonNode[] {Values.NULL, pattern, flags}, context).isMissingNode())
        .isTrue();

    ScalarFunction wrong = function.prepare(i -> i == 1 ? Values.text("(") : null);
    assertThat(wrong.call(new JsonNode[] {text, Values.text("(")}, context).isMissingNode())
        .isTrue();
    assertThat(function.prepare(i -> null)).isSameAs(function);
  }
}
