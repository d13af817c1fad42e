package io.kvreactive.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.IOContext;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.io.NumberOutput;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.io.Reader;
import java.io.Serial;
import java.math.BigDecimal;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The JSON settings of the store, its collections, its server and its command line. Strict mappers
 * reject duplicate properties and text after the value, and keep all digits of numbers.
 * Descriptions of syntax errors do not name the parser. Doubles are written with the same digits on
 * every JDK.
 */
public final class JsonSyntax {
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

  private static final Pattern WORD =
      Pattern.compile("(?:Unrecognized|Non-standard) token '([^']{1,40})'.*");

  private static final Pattern TWICE = Pattern.compile("Duplicate field '(.{0,40}?)'(?: for .*)?");

  private static final int MAX_POINTER = 200;

  /** Creates parsers that keep all digits of fractions. */
  private static final class ExactFactory extends JsonFactory {
    @Serial private static final long serialVersionUID = 1;

    ExactFactory(JsonFactoryBuilder settings) {
      super(settings);
    }

    @Override
    protected JsonParser _createParser(Reader text, IOContext context) throws IOException {
      return new ExactParser(super._createParser(text, context));
    }

    @Override
    protected JsonParser _createParser(
        char[] text, int offset, int length, IOContext context, boolean recyclable)
        throws IOException {
      return new ExactParser(super._createParser(text, offset, length, context, recyclable));
    }

    @Override
    protected JsonParser _createParser(byte[] text, int offset, int length, IOContext context)
        throws IOException {
      return new ExactParser(super._createParser(text, offset, length, context));
    }
  }

  /** Reads a fraction as a double, which is faster, if the double prints the same number. */
  private static final class ExactParser extends JsonParserDelegate {
    /** Maximum length of 15 digits and a point, of which a double prints all. */
    private static final int SHORT = 16;

    private static final double MIN_SHORT = 1e-290;
    private static final double MAX_SHORT = 1e290;

    ExactParser(JsonParser parser) {
      super(parser);
    }

    @Override
    public NumberTypeFP getNumberTypeFP() throws IOException {
      return !hasToken(JsonToken.VALUE_NUMBER_FLOAT) || isDouble(getDoubleValue())
          ? NumberTypeFP.DOUBLE64
          : NumberTypeFP.BIG_DECIMAL;
    }

    private boolean isDouble(double value) throws IOException {
      double size = Math.abs(value);
      if (getTextLength() <= SHORT && size >= MIN_SHORT && size <= MAX_SHORT) {
        return true;
      }
      String shortest = NumberOutput.toString(value, true);
      if (getText().equals(shortest)) {
        return true;
      }
      try {
        BigDecimal number = getDecimalValue();
        return Double.isFinite(value) && new BigDecimal(shortest).compareTo(number) == 0;
      } catch (NumberFormatException | ArithmeticException e) {
        return true; // the exponent has too many digits: infinite or 0
      }
    }
  }

  /** The numbers that a double can represent, for messages. */
  public static final String NUMBERS =
      "a number from -" + Double.MAX_VALUE + " to " + Double.MAX_VALUE;

  private JsonSyntax() {}

  /** Returns a strict mapper with limits on what it reads. */
  public static JsonMapper mapper(StreamReadConstraints limits) {
    JsonFactoryBuilder settings =
        new JsonFactoryBuilder()
            .streamReadConstraints(limits)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER);
    return JsonMapper.builder(new ExactFactory(settings))
        .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .build();
  }

  /** Returns a strict mapper for small texts, with the default limits of Jackson. */
  public static JsonMapper mapper() {
    return mapper(StreamReadConstraints.defaults());
  }

  /**
   * Returns a module for the JSON types of Vert.x, which also rejects objects that are not data,
   * such as threads and streams.
   */
  public static Module data() {
    return new DataModule();
  }

  /**
   * Returns the settings of mappers between Java types and stored data: {@link #data}, Java 8 types
   * and times are supported, times are text, unknown members are ignored, and scalars are never
   * coerced.
   */
  public static JsonMapper.Builder beans() {
    return JsonMapper.builder()
        .addModule(new Jdk8Module())
        .addModule(new JavaTimeModule())
        .addModule(data())
        .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
        .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
        .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
        .disable(DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
        .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS);
  }

  /** Returns the place of a failed conversion of an object; empty for the object itself. */
  public static List<Object> path(JsonProcessingException failure) {
    return failure instanceof JsonMappingException mapping
        ? mapping.getPath().stream()
            .map(
                step ->
                    step.getFieldName() == null ? (Object) step.getIndex() : step.getFieldName())
            .toList()
        : List.of();
  }

  /** Returns names and indexes as a JSON pointer (RFC 6901), truncated at 200 characters. */
  public static String pointer(Iterable<?> path) {
    StringBuilder pointer = new StringBuilder();
    for (Object step : path) {
      pointer.append('/').append(step.toString().replace("~", "~0").replace("/", "~1"));
      if (pointer.length() > MAX_POINTER) {
        pointer.setLength(MAX_POINTER);
        return pointer.append('…').toString();
      }
    }
    return pointer.toString();
  }

  /** Returns a description such as {@code line 1, column 14: unexpected end}. */
  public static String describe(JsonProcessingException failure) {
    JsonLocation place = failure.getLocation();
    int line = place == null ? 1 : Math.max(1, place.getLineNr());
    return "line " + line + ", " + describeInLine(failure);
  }

  /** Returns a description such as {@code column 14: unexpected end}, for text of one line. */
  public static String describeInLine(JsonProcessingException failure) {
    return "column " + column(failure) + ": " + reason(failure);
  }

  /** Returns the column of a failure, from 1. */
  public static int column(JsonProcessingException failure) {
    JsonLocation place = failure.getLocation();
    return place == null ? 1 : Math.max(1, place.getColumnNr());
  }

  /** Returns the reason of a failure, such as {@code unexpected end}. */
  public static String reason(JsonProcessingException failure) {
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
      Matcher twice = TWICE.matcher(words);
      return "duplicate property" + (twice.matches() ? " \"" + twice.group(1) + "\"" : "");
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
