package io.kvreactive.documents.internal.functions;

import static io.kvreactive.documents.internal.value.Values.UNDEFINED;
import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Functions from texts to texts. Lengths and positions count UTF-16 code units, and positions start
 * at 0; a fraction is dropped. Only REVERSE keeps surrogate pairs together.
 */
final class StringFunctions {
  private static final int MAX_REPLICATE = 10_000;

  private StringFunctions() {}

  static List<ScalarFunction> all() {
    return List.of(
        LambdaFunction.of("CONCAT", 2, LambdaFunction.ANY, StringFunctions::concat),
        LambdaFunction.of("LEFT", 2, 2, a -> part(a, 0, a[1], false)),
        LambdaFunction.of("RIGHT", 2, 2, a -> part(a, 0, a[1], true)),
        LambdaFunction.of("SUBSTRING", 3, 3, StringFunctions::substring),
        LambdaFunction.ofText("LENGTH", text -> Values.number(text.length())),
        LambdaFunction.ofText(
            "LOWER",
            text -> TextArguments.inChunks("LOWER", text, chunk -> chunk.toLowerCase(Locale.ROOT))),
        LambdaFunction.ofText(
            "UPPER",
            text -> TextArguments.inChunks("UPPER", text, chunk -> chunk.toUpperCase(Locale.ROOT))),
        LambdaFunction.of("LTRIM", 1, 2, a -> trim(a, true, false)),
        LambdaFunction.of("RTRIM", 1, 2, a -> trim(a, false, true)),
        LambdaFunction.of("TRIM", 1, 2, a -> trim(a, true, true)),
        LambdaFunction.of("REPLACE", 3, 3, StringFunctions::replace),
        LambdaFunction.of("REPLICATE", 2, 2, StringFunctions::replicate),
        LambdaFunction.ofText(
            "REVERSE", text -> Values.text(new StringBuilder(text).reverse().toString())),
        LambdaFunction.of("STRINGJOIN", 2, 2, StringFunctions::join),
        LambdaFunction.ofTexts("STRINGSPLIT", StringFunctions::split));
  }

  static JsonNode concat(JsonNode[] a) {
    long length = 0;
    for (JsonNode value : a) {
      if (!value.isTextual()) {
        return UNDEFINED;
      }
      length += value.textValue().length();
    }
    FunctionLimitException.checkResult("CONCAT", length);
    StringBuilder text = new StringBuilder((int) length);
    for (JsonNode value : a) {
      text.append(value.textValue());
    }
    return Values.text(text.toString());
  }

  private static JsonNode part(JsonNode[] a, int from, JsonNode length, boolean atEnd) {
    Integer count = IntegerValues.count(length);
    if (!a[0].isTextual() || count == null) {
      return UNDEFINED;
    }
    String text = a[0].textValue();
    int start = Math.max(0, Math.min(from, text.length()));
    int kept = Math.max(0, Math.min(count, text.length() - start));
    return Values.text(
        atEnd ? text.substring(text.length() - kept) : text.substring(start, start + kept));
  }

  /** Returns a part of a text. A negative start counts as 0. */
  private static JsonNode substring(JsonNode[] a) {
    Integer from = IntegerValues.count(a[1]);
    return from == null ? UNDEFINED : part(a, from, a[2], false);
  }

  /**
   * Trims a text. The second argument is the set of characters to remove; the default is white
   * space.
   */
  private static JsonNode trim(JsonNode[] a, boolean start, boolean end) {
    if (!LambdaFunction.allTexts(a)) {
      return UNDEFINED;
    }
    String text = a[0].textValue();
    BitSet chars = a.length > 1 ? TextArguments.chars(a[1].textValue()) : null;
    int from = 0;
    int to = text.length();
    while (start && from < to && isTrimmed(text.charAt(from), chars)) {
      from++;
    }
    while (end && from < to && isTrimmed(text.charAt(to - 1), chars)) {
      to--;
    }
    return Values.text(text.substring(from, to));
  }

  private static boolean isTrimmed(char c, @Nullable BitSet chars) {
    checkpoint();
    return chars == null ? TextArguments.isBlank(c) : chars.get(c);
  }

  /** Replaces a text; undefined if the text to look for is empty. */
  private static JsonNode replace(JsonNode[] a) {
    if (!LambdaFunction.allTexts(a) || a[1].textValue().isEmpty()) {
      return UNDEFINED;
    }
    String text = a[0].textValue();
    String find = a[1].textValue();
    String by = a[2].textValue();
    TextSearch search = new TextSearch(find);
    StringBuilder replaced = new StringBuilder();
    int from = 0;
    for (int at = search.find(text, 0); at >= 0; at = search.find(text, from)) {
      checkpoint();
      FunctionLimitException.checkResult(
          "REPLACE", replaced.length() + (long) at - from + by.length());
      replaced.append(text, from, at).append(by);
      from = at + find.length();
    }
    if (from == 0) {
      return a[0];
    }
    FunctionLimitException.checkResult("REPLACE", replaced.length() + (long) text.length() - from);
    return Values.text(replaced.append(text, from, text.length()).toString());
  }

  private static JsonNode replicate(JsonNode[] a) {
    if (!a[0].isTextual() || !a[1].isNumber()) {
      return UNDEFINED;
    }
    String text = a[0].textValue();
    double times = a[1].doubleValue();
    if (!Double.isFinite(times) || times < 0) {
      return UNDEFINED;
    }
    double whole = Math.floor(times);
    if (text.isEmpty() || whole == 0) {
      return Values.EMPTY_TEXT;
    }
    if (text.length() * whole > MAX_REPLICATE) {
      throw new FunctionLimitException(
          "REPLICATE: the result is too long (expected: at most " + MAX_REPLICATE + " characters)");
    }
    return Values.text(text.repeat((int) whole));
  }

  private static JsonNode join(JsonNode[] a) {
    if (!a[0].isArray() || !a[1].isTextual()) {
      return UNDEFINED;
    }
    String separator = a[1].textValue();
    StringBuilder joined = new StringBuilder();
    for (int i = 0; i < a[0].size(); i++) {
      checkpoint();
      JsonNode element = a[0].get(i);
      if (!element.isTextual()) {
        return UNDEFINED;
      }
      if (i > 0) {
        joined.append(separator);
      }
      FunctionLimitException.checkResult(
          "STRINGJOIN", (long) joined.length() + element.textValue().length());
      joined.append(element.textValue());
    }
    return Values.text(joined.toString());
  }

  /** Splits a text; undefined if the separator is empty. */
  private static JsonNode split(String text, String separator) {
    if (separator.isEmpty()) {
      return UNDEFINED;
    }
    TextSearch search = new TextSearch(separator);
    ArrayNode parts = JsonNodeFactory.instance.arrayNode();
    int from = 0;
    for (int at = search.find(text, 0); at >= 0; at = search.find(text, from)) {
      checkpoint();
      parts.add(Values.text(text.substring(from, at)));
      from = at + separator.length();
    }
    return parts.add(Values.text(text.substring(from)));
  }
}
