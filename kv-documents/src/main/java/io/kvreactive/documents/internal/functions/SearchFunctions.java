package io.kvreactive.documents.internal.functions;

import static io.kvreactive.documents.internal.value.Values.UNDEFINED;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.List;
import java.util.function.BiPredicate;

/** Functions that search a text for another. */
final class SearchFunctions {
  private SearchFunctions() {}

  static List<ScalarFunction> all() {
    return List.of(
        compared("CONTAINS", SearchFunctions::contains),
        compared("STARTSWITH", String::startsWith),
        compared("ENDSWITH", String::endsWith),
        compared("STRINGEQUALS", String::equals),
        several("CONTAINS_ALL_CI", true, true),
        several("CONTAINS_ALL_CS", false, true),
        several("CONTAINS_ANY_CI", true, false),
        several("CONTAINS_ANY_CS", false, false),
        LambdaFunction.of("INDEX_OF", 2, 3, SearchFunctions::indexOf),
        LambdaFunction.ofTexts(
            "LASTINDEXOF", (text, part) -> Values.number(TextSearch.lastIndexOf(text, part))));
  }

  private static boolean contains(String text, String part) {
    return TextSearch.indexOf(text, part, 0) >= 0;
  }

  /** Returns a comparison whose third argument is true to ignore letter case. */
  private static ScalarFunction compared(String name, BiPredicate<String, String> test) {
    return LambdaFunction.of(
        name,
        2,
        3,
        a -> {
          if (!a[0].isTextual() || !a[1].isTextual() || (a.length > 2 && !a[2].isBoolean())) {
            return UNDEFINED;
          }
          String text = a[0].textValue();
          String part = a[1].textValue();
          return Values.bool(
              a.length > 2 && a[2].booleanValue()
                  ? test.test(TextArguments.fold(text), TextArguments.fold(part))
                  : test.test(text, part));
        });
  }

  private static ScalarFunction several(String name, boolean ignoreCase, boolean all) {
    return LambdaFunction.of(
        name,
        2,
        LambdaFunction.ANY,
        a -> {
          if (!LambdaFunction.allTexts(a)) {
            return UNDEFINED;
          }
          String text = ignoreCase ? TextArguments.fold(a[0].textValue()) : a[0].textValue();
          for (int i = 1; i < a.length; i++) {
            String part = ignoreCase ? TextArguments.fold(a[i].textValue()) : a[i].textValue();
            if (contains(text, part) != all) {
              return Values.bool(!all);
            }
          }
          return Values.bool(all);
        });
  }

  /** Returns the position of a text. A negative start counts as 0. */
  private static JsonNode indexOf(JsonNode[] a) {
    if (!a[0].isTextual() || !a[1].isTextual()) {
      return UNDEFINED;
    }
    Integer from = a.length > 2 ? IntegerValues.count(a[2]) : Integer.valueOf(0);
    if (from == null) {
      return UNDEFINED;
    }
    String text = a[0].textValue();
    if (from > text.length()) {
      return Values.number(-1);
    }
    return Values.number(TextSearch.indexOf(text, a[1].textValue(), Math.max(0, from)));
  }
}
