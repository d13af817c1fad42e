package io.kvreactive.documents.internal.functions;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.EvaluationContext;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class SearchFunctionsTest {
  @Test
  void comparesTexts() {
    Table.check(
        """
        CONTAINS("AdventureWorks", "Works") -> true
        CONTAINS("AdventureWorks", "works") -> false
        CONTAINS("AdventureWorks", "works", false) -> false
        CONTAINS("AdventureWorks", "works", true) -> true
        CONTAINS("AdventureWorks", "") -> true
        CONTAINS("AdventureWorks", "Contoso") -> false
        CONTAINS("a", "a", 1) -> undefined
        CONTAINS("a", "a", undefined) -> undefined
        CONTAINS(1, "a") -> undefined
        CONTAINS("a", null) -> undefined
        CONTAINS(undefined, "a") -> undefined
        STARTSWITH("AdventureWorks", "Adventure") -> true
        STARTSWITH("AdventureWorks", "adventure") -> false
        STARTSWITH("AdventureWorks", "adventure", true) -> true
        STARTSWITH("ab", "abc") -> false
        STARTSWITH("ab", "") -> true
        STARTSWITH("ab", ["a"]) -> undefined
        ENDSWITH("AdventureWorks", "Works") -> true
        ENDSWITH("AdventureWorks", "WORKS") -> false
        ENDSWITH("AdventureWorks", "WORKS", true) -> true
        ENDSWITH(undefined, "a") -> undefined
        STRINGEQUALS("abc", "abc") -> true
        STRINGEQUALS("abc", "ABC") -> false
        STRINGEQUALS("abc", "ABC", true) -> true
        STRINGEQUALS("ÄÖ", "äö", true) -> true
        STRINGEQUALS(null, null) -> undefined
        STRINGEQUALS(5, 5) -> undefined
        STRINGEQUALS("a", "a", null) -> undefined
        """);
  }

  @Test
  void findsAnyAndAllOfSeveralTexts() {
    Table.check(
        """
        CONTAINS_ALL_CS("the Quick fox", "Quick", "fox") -> true
        CONTAINS_ALL_CS("the Quick fox", "quick", "fox") -> false
        CONTAINS_ALL_CI("the Quick fox", "quick", "FOX") -> true
        CONTAINS_ANY_CS("the Quick fox", "quick", "dog") -> false
        CONTAINS_ANY_CI("the Quick fox", "quick", "dog") -> true
        CONTAINS_ANY_CI("the Quick fox", "dog") -> false
        CONTAINS_ALL_CI("a", 1) -> undefined
        CONTAINS_ANY_CI("a", "a", undefined) -> undefined
        CONTAINS_ANY_CS(null, "a") -> undefined
        """);
  }

  @Test
  void findsPositions() {
    Table.check(
        """
        INDEX_OF("abcabc", "bc") -> 1
        INDEX_OF("abcabc", "bc", 2) -> 4
        INDEX_OF("abcabc", "bc", -7) -> 1
        INDEX_OF("abcabc", "bc", 5) -> -1
        INDEX_OF("abcabc", "bc", 500) -> -1
        INDEX_OF("abc", "x") -> -1
        INDEX_OF("abc", "") -> 0
        INDEX_OF("abc", "a", null) -> undefined
        INDEX_OF("abc", 1) -> undefined
        INDEX_OF(undefined, "a") -> undefined
        LASTINDEXOF("abcabc", "bc") -> 4
        LASTINDEXOF("abc", "x") -> -1
        LASTINDEXOF("abc", null) -> undefined
        LASTINDEXOF(1, "a") -> undefined
        """);
  }

  @Property
  void agreesWithTheJdk(
      @ForAll @CharRange(from = 'a', to = 'b') @StringLength(max = 200) String text,
      @ForAll @CharRange(from = 'a', to = 'b') @StringLength(min = 17, max = 24) String random) {
    for (String needle :
        new String[] {random, text.substring(text.length() / 3), "abaabaabaabaabaaba"}) {
      assertThat(TextSearch.indexOf(text, needle, 0)).isEqualTo(text.indexOf(needle));
      assertThat(TextSearch.lastIndexOf(text, needle)).isEqualTo(text.lastIndexOf(needle));
      assertThat(TextSearch.indexOf(text, needle, 5)).isEqualTo(text.indexOf(needle, 5));
    }
  }

  /** A search in the product of both lengths would take 2.5 * 10^11 steps. */
  @Test
  void searchesAlmostMatchingLongTextsInLinearTime() {
    var text = Values.text("a".repeat(1_000_000));
    var needle = Values.text("a".repeat(499_999) + "b");
    EvaluationContext context = Table.context(false);
    assertThat(Table.call("CONTAINS", context, text, needle).booleanValue()).isFalse();
    assertThat(Table.call("LASTINDEXOF", context, text, needle).intValue()).isEqualTo(-1);
    assertThat(Table.call("REPLACE", context, text, needle, Values.text(""))).isEqualTo(text);
  }
}
