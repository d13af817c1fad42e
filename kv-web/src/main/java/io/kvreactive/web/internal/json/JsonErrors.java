package io.kvreactive.web.internal.json;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Describes the position and cause of JSON syntax errors, without naming the parser. */
public final class JsonErrors {
  private static final Pattern CHARACTER =
      Pattern.compile("Unexpected (?:character \\(|close marker )'(.)'.*");

  /**
   * The error message for a closing bracket after a comma. Empty arrays and objects are allowed, so
   * only a trailing comma causes it.
   */
  private static final Pattern AFTER_COMMA =
      Pattern.compile(
          "Unexpected character \\('(?:(])' .*: expected a valid value.*"
              + "|(})' .*: was expecting double-quote to start field name.*)");

  private static final Pattern WORD = Pattern.compile("Unrecognized token '([^']{1,40})'.*");

  private JsonErrors() {}

  /** Returns a description such as {@code line 1, column 14: unexpected end}. */
  public static String words(JsonProcessingException failure) {
    JsonLocation place = failure.getLocation();
    int line = place == null ? 1 : Math.max(1, place.getLineNr());
    return "line " + line + ", " + wordsOfLine(failure);
  }

  /** Returns a description such as {@code column 14: unexpected end}, for text of one line. */
  public static String wordsOfLine(JsonProcessingException failure) {
    JsonLocation place = failure.getLocation();
    int column = place == null ? 1 : Math.max(1, place.getColumnNr());
    return "column " + column + ": " + why(failure);
  }

  private static String why(JsonProcessingException failure) {
    if (failure instanceof JsonEOFException) {
      return "unexpected end";
    }
    if (failure instanceof StreamConstraintsException) {
      return "nested too deep, too many values, or too long a number";
    }
    String words = String.valueOf(failure.getOriginalMessage()).replace('\n', ' ');
    Matcher comma = AFTER_COMMA.matcher(words);
    if (comma.matches()) {
      return "unexpected " + (comma.group(1) == null ? "}" : "]") + " after a comma";
    }
    Matcher character = CHARACTER.matcher(words);
    if (character.matches()) {
      return "unexpected " + character.group(1);
    }
    Matcher word = WORD.matcher(words);
    if (word.matches()) {
      return "unknown word " + word.group(1);
    }
    if (words.startsWith("Duplicate field")) {
      return "duplicate property";
    }
    if (words.startsWith("Invalid numeric value")) {
      return "invalid number";
    }
    if (words.startsWith("Trailing token")) {
      return "unexpected text after the end";
    }
    if (words.startsWith("Illegal unquoted character")) {
      return "unescaped control character in a string";
    }
    if (words.startsWith("Unrecognized character escape")) {
      return "unknown escape in a string";
    }
    return words.startsWith("Invalid UTF-8") ? "not UTF-8" : "malformed";
  }
}
