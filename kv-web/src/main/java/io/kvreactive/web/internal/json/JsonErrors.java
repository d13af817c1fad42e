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
   * An error at a closing bracket, which only a trailing comma can cause: empty arrays and objects
   * are allowed.
   */
  private static final Pattern AFTER_COMMA =
      Pattern.compile(
          "Unexpected character \\('(?:(])' .*: expected a valid value.*"
              + "|(})' .*: was expecting double-quote to start field name.*)");

  private static final Pattern WORD = Pattern.compile("Unrecognized token '([^']{1,40})'.*");

  private JsonErrors() {}

  /** Returns a description such as {@code line 1, column 14: it ends too early}. */
  public static String words(JsonProcessingException failure) {
    JsonLocation place = failure.getLocation();
    int line = place == null ? 1 : Math.max(1, place.getLineNr());
    return "line " + line + ", " + wordsOfLine(failure);
  }

  /** Returns a description such as {@code column 14: it ends too early}, for text of one line. */
  public static String wordsOfLine(JsonProcessingException failure) {
    JsonLocation place = failure.getLocation();
    int column = place == null ? 1 : Math.max(1, place.getColumnNr());
    return "column " + column + ": " + why(failure);
  }

  private static String why(JsonProcessingException failure) {
    if (failure instanceof JsonEOFException) {
      return "it ends too early";
    }
    if (failure instanceof StreamConstraintsException) {
      return "it is nested too deep, or has too many parts or too long a number";
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
      return "a property for the second time";
    }
    if (words.startsWith("Invalid numeric value")) {
      return "no such number";
    }
    if (words.startsWith("Trailing token")) {
      return "more behind its end";
    }
    if (words.startsWith("Illegal unquoted character")) {
      return "a control character in a string";
    }
    if (words.startsWith("Unrecognized character escape")) {
      return "an unknown escape in a string";
    }
    return words.startsWith("Invalid UTF-8") ? "not UTF-8" : "malformed";
  }
}
