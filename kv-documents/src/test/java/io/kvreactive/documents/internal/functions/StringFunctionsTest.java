package io.kvreactive.documents.internal.functions;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.documents.internal.value.Values;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class StringFunctionsTest {
  @Test
  void concatenatesTexts() {
    Table.check(
        """
        CONCAT("adventure", "works") -> "adventureworks"
        CONCAT("a", "", "b", "c") -> "abc"
        CONCAT("", "") -> ""
        CONCAT("a", 1) -> undefined
        CONCAT("a", null) -> undefined
        CONCAT("a", undefined) -> undefined
        """);
  }

  @Test
  void extractsPartsOfTexts() {
    Table.check(
        """
        LEFT("AdventureWorks", 0) -> ""
        LEFT("AdventureWorks", 5) -> "Adven"
        LEFT("AdventureWorks", 100) -> "AdventureWorks"
        LEFT("AdventureWorks", -1) -> ""
        LEFT("abc", 1.9) -> "a"
        LEFT("abc", Infinity) -> "abc"
        LEFT("abc", NaN) -> undefined
        LEFT("abc", "1") -> undefined
        LEFT(5, 1) -> undefined
        LEFT(undefined, 1) -> undefined
        RIGHT("AdventureWorks", 0) -> ""
        RIGHT("AdventureWorks", 1) -> "s"
        RIGHT("AdventureWorks", 5) -> "Works"
        RIGHT("AdventureWorks", 100) -> "AdventureWorks"
        RIGHT("AdventureWorks", -3) -> ""
        RIGHT(null, 1) -> undefined
        SUBSTRING("AdventureWorks", 0, 9) -> "Adventure"
        SUBSTRING("AdventureWorks", 9, 5) -> "Works"
        SUBSTRING("AdventureWorks", 9, 500) -> "Works"
        SUBSTRING("AdventureWorks", 14, 1) -> ""
        SUBSTRING("AdventureWorks", 99, 1) -> ""
        SUBSTRING("AdventureWorks", 1, 0) -> ""
        SUBSTRING("AdventureWorks", 1, -1) -> ""
        SUBSTRING("AdventureWorks", -5, 3) -> "Adv"
        SUBSTRING("abc", 1, "1") -> undefined
        SUBSTRING("abc", null, 1) -> undefined
        SUBSTRING("abc", undefined, 1) -> undefined
        """);
  }

  @Test
  void measuresReversesAndChangesCase() {
    Table.check(
        """
        LENGTH("AdventureWorks") -> 14
        LENGTH("") -> 0
        LENGTH("😀") -> 2
        LENGTH(null) -> undefined
        LENGTH(0) -> undefined
        LENGTH(["Adventure", "Works"]) -> undefined
        LOWER("AbC") -> "abc"
        UPPER("AbC") -> "ABC"
        UPPER("straße") -> "STRASSE"
        UPPER(1) -> undefined
        LOWER(undefined) -> undefined
        REVERSE("Redrawn") -> "nwardeR"
        REVERSE("a😀b") -> "b😀a"
        REVERSE("") -> ""
        REVERSE(12) -> undefined
        """);
  }

  @Test
  void changesCaseIndependentlyOfTheLocale() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("tr"));
    try {
      Table.check(
          """
          UPPER("title") -> "TITLE"
          LOWER("TITLE") -> "title"
          """);
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void trimsTexts() {
    Table.check(
        """
        LTRIM("  AdventureWorks  ") -> "AdventureWorks  "
        LTRIM("AdventureWorks", "Works") -> "AdventureWorks"
        LTRIM("AdventureWorks", "Adventure") -> "Works"
        LTRIM("AdventureWorks", "AdventureWorks") -> ""
        LTRIM("  AdventureWorks", "") -> "  AdventureWorks"
        RTRIM("  AdventureWorks  ") -> "  AdventureWorks"
        RTRIM("AdventureWorks", "Works") -> "Adventure"
        RTRIM("AdventureWorks", "Adventure") -> "AdventureWorks"
        RTRIM("AdventureWorks", "") -> "AdventureWorks"
        TRIM("\\t a b \\u00a0\\n") -> "a b"
        TRIM("xyaxy", "yx") -> "a"
        TRIM("   ") -> ""
        TRIM("a", null) -> undefined
        TRIM("a", undefined) -> undefined
        TRIM(5) -> undefined
        RTRIM(undefined) -> undefined
        """);
  }

  @Test
  void replacesAndReplicates() {
    Table.check(
        """
        REPLACE("AdventureWorks", "Works", "Sun") -> "AdventureSun"
        REPLACE("aaa", "a", "bb") -> "bbbbbb"
        REPLACE("aaa", "aa", "b") -> "ba"
        REPLACE("abc", "x", "y") -> "abc"
        REPLACE("abc", "b", "") -> "ac"
        REPLACE("abc", "", "y") -> undefined
        REPLACE("abc", "b", null) -> undefined
        REPLACE(undefined, "b", "") -> undefined
        REPLICATE("Cosmic", 3) -> "CosmicCosmicCosmic"
        REPLICATE("a", 0) -> ""
        REPLICATE("a", 2.9) -> "aa"
        REPLICATE("", 1e300) -> ""
        REPLICATE("a", -1) -> undefined
        REPLICATE("a", -0.5) -> undefined
        REPLICATE("a", Infinity) -> undefined
        REPLICATE("a", NaN) -> undefined
        REPLICATE(1, 2) -> undefined
        REPLICATE("a", "2") -> undefined
        """);
    assertThat(Table.call("REPLICATE(\"ab\", 5000)").textValue()).hasSize(10_000);
    Table.checkTooLarge("REPLICATE", Values.text("ab"), Values.number(5001));
    Table.checkTooLarge("REPLICATE", Values.text("a"), Values.number(1e300));
  }

  @Test
  void joinsAndSplits() {
    Table.check(
        """
        STRINGJOIN(["a", "b", "c"], ", ") -> "a, b, c"
        STRINGJOIN(["a"], "-") -> "a"
        STRINGJOIN([], "-") -> ""
        STRINGJOIN(["a", 1], "-") -> undefined
        STRINGJOIN("ab", "-") -> undefined
        STRINGJOIN(["a"], null) -> undefined
        STRINGSPLIT("a,b,,c", ",") -> ["a", "b", "", "c"]
        STRINGSPLIT("abc", "-") -> ["abc"]
        STRINGSPLIT(",", ",") -> ["", ""]
        STRINGSPLIT("a--b---c", "--") -> ["a", "b", "-c"]
        STRINGSPLIT("", ",") -> [""]
        STRINGSPLIT("abc", "") -> undefined
        STRINGSPLIT(null, ",") -> undefined
        STRINGSPLIT("a", undefined) -> undefined
        """);
  }

  @Test
  void failsForResultsThatAreTooLarge() {
    JsonNode large = Values.text("a".repeat(FunctionRegistry.MAX_RESULT / 2 + 1));
    Table.checkTooLarge("CONCAT", large, large);
    Table.checkTooLarge("REPLACE", large, Values.text("a"), Values.text("bb"));
    Table.checkTooLarge(
        "STRINGJOIN", JsonNodeFactory.instance.arrayNode().add(large).add(large), Values.text(""));
    JsonNode sharp = Values.text("ß".repeat(FunctionRegistry.MAX_RESULT / 2 + 1));
    Table.checkTooLarge("UPPER", sharp);
  }
}
