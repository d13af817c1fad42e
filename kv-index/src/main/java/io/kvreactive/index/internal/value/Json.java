package io.kvreactive.index.internal.value;

import static io.kvreactive.index.internal.worker.WorkerThread.checkpoint;
import static io.kvreactive.index.internal.worker.WorkerThread.checkpointAfter;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvException;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.json.Utf8;
import java.io.CharArrayWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Items and literals as JSON text, exactly: numbers keep all their digits, members their order.
 * Strict: no comments, no NaN, no name twice in one object, nothing after the value.
 *
 * <p>How long a text may be is for the caller to check before. Members and elements that are
 * undefined are not written, and numbers that JSON lacks are written as the texts "NaN", "Infinity"
 * and "-Infinity".
 */
public final class Json {
  /** How deep arrays and objects may be nested. */
  public static final int MAX_DEPTH = 128;

  /** How many characters a number may have: more would make reading it slow. */
  public static final int MAX_NUMBER_LENGTH = 1000;

  private static final JsonFactory FACTORY = factory();

  private Json() {}

  private static JsonFactory factory() {
    return new JsonFactoryBuilder()
        .streamReadConstraints(
            StreamReadConstraints.builder()
                .maxStringLength(Integer.MAX_VALUE)
                .maxNameLength(Integer.MAX_VALUE)
                .maxNumberLength(MAX_NUMBER_LENGTH)
                // the tree checks its own limit, with its own words, before this one
                .maxNestingDepth(MAX_DEPTH + 1)
                .build())
        .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
        .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
        .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
        // the shortest digits, on every JDK
        .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
        .build();
  }

  /**
   * @param utf8 one JSON value
   * @throws IndexException INVALID_ITEM if it is not JSON as above, ITEM_TOO_LARGE if it is nested
   *     too deep or has a number that is too long; the message tells line and column
   */
  public static JsonNode parse(byte[] utf8) {
    return parse(decode(utf8));
  }

  /**
   * Some members of an object that was written by {@link #write}: what is not asked for is passed
   * over, which costs half of reading it.
   *
   * @return null for what is no object
   */
  public static @Nullable ObjectNode parseMembers(byte[] utf8, Predicate<String> names) {
    String text = decode(utf8);
    try (JsonParser parser = FACTORY.createParser(text)) {
      return new JsonTree(parser).readMembers(names);
    } catch (IOException e) {
      throw JsonFault.of(e, text);
    }
  }

  /** A copy that shares no array and no object with a value. */
  public static JsonNode copy(JsonNode value) {
    checkpoint();
    if (value.isObject()) {
      ObjectNode copy = JsonNodeFactory.instance.objectNode();
      value.properties().forEach(member -> copy.set(member.getKey(), copy(member.getValue())));
      return copy;
    }
    if (value.isArray()) {
      ArrayNode copy = JsonNodeFactory.instance.arrayNode(value.size());
      value.forEach(element -> copy.add(copy(element)));
      return copy;
    }
    return value;
  }

  /** Like {@link #parse(byte[])}. */
  public static JsonNode parse(String text) {
    try (JsonParser parser = FACTORY.createParser(text)) {
      return new JsonTree(parser).read();
    } catch (IOException e) {
      throw JsonFault.of(e, text);
    }
  }

  private static String decode(byte[] utf8) {
    try {
      String text = Utf8.decode(utf8);
      checkpointAfter(utf8.length);
      return text;
    } catch (KvException e) {
      throw invalid("not valid JSON: not UTF-8: " + e.detail(), e);
    }
  }

  /** Like {@link #parse(String)}, but null for what is not JSON. */
  public static @Nullable JsonNode parseOrNull(String text) {
    try (JsonParser parser = FACTORY.createParser(text)) {
      return new JsonTree(parser).read();
    } catch (IOException | IndexException e) {
      return null;
    }
  }

  /**
   * Compact JSON in UTF-8.
   *
   * @throws IllegalArgumentException if the value is undefined
   */
  public static byte[] write(JsonNode value) {
    // by way of text: Jackson's bytes have every surrogate pair as two escapes, three times as long
    byte[] utf8 = writeText(value).getBytes(StandardCharsets.UTF_8); // has no lone surrogates
    checkpointAfter(utf8.length);
    return utf8;
  }

  /** Compact JSON; halves of surrogate pairs are escaped. */
  public static String writeText(JsonNode value) {
    return writeText(value, null);
  }

  /**
   * @param numbers gives the text of a finite number; null for its own digits
   */
  public static String writeText(JsonNode value, @Nullable Function<JsonNode, String> numbers) {
    try {
      return write(value, numbers, new CharArrayWriter());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The same, given up as soon as it is too long: parts that a value has often take no memory, but
   * their text does.
   *
   * @param most how many characters it may have
   * @return null for a text that is longer, or nested deeper than any generator goes
   */
  public static @Nullable String writeText(
      JsonNode value, @Nullable Function<JsonNode, String> numbers, int most) {
    try {
      String text = write(value, numbers, new BoundedWriter(most));
      return text.length() > most ? null : text;
    } catch (BoundedWriter.FullException | StreamConstraintsException e) {
      return null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String write(
      JsonNode value, @Nullable Function<JsonNode, String> numbers, Writer chars)
      throws IOException {
    checkDefined(value);
    try (JsonGenerator generator = FACTORY.createGenerator(chars)) {
      JsonTree.write(value, generator, numbers);
    }
    String text = chars.toString();
    checkpointAfter(text.length());
    return Utf8.escape(text);
  }

  private static void checkDefined(JsonNode value) {
    if (value.isMissingNode()) {
      throw new IllegalArgumentException("value: undefined (expected: a JSON value)");
    }
  }

  static IndexException invalid(String message, @Nullable Throwable cause) {
    return new IndexException(IndexErrorCode.INVALID_ITEM, message, cause);
  }
}
