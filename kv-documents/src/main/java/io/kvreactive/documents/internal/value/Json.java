package io.kvreactive.documents.internal.value;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;
import static io.kvreactive.documents.internal.worker.WorkerThread.checkpointAfter;

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
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.json.Utf8;
import java.io.CharArrayWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes items and literals as JSON text, exactly: numbers keep all their digits, and
 * members their order. Parsing is strict: no comments, no NaN, no duplicate names in an object, and
 * nothing after the value.
 *
 * <p>Callers check the length of a text before. Undefined members and elements are not written.
 * Numbers without a JSON form are written as the texts "NaN", "Infinity" and "-Infinity".
 */
public final class Json {
  /** Maximum nesting depth of arrays and objects. */
  public static final int MAX_DEPTH = 128;

  /**
   * Maximum nesting depth of an answer of a server: an item within the brackets of a query, of
   * which there are at most 100, and within the answer.
   */
  private static final int MAX_ANSWER_DEPTH = 256;

  /** Maximum length of a number in characters: longer numbers would be slow to parse. */
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
                // the tree checks its own limit first, with its own message
                .maxNestingDepth(MAX_ANSWER_DEPTH + 1)
                .build())
        .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
        .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
        .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
        // the shortest digits, on every JDK
        .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
        .build();
  }

  /**
   * Parses a value.
   *
   * @param utf8 one JSON value
   * @throws DocumentException INVALID_ITEM if the text is not JSON as above, ITEM_TOO_LARGE if it
   *     is nested too deep or has a number that is too long; the message contains line and column
   */
  public static JsonNode parse(byte[] utf8) {
    return parse(decode(utf8));
  }

  /** Like {@link #parse(byte[])}, for an answer of a server, which may be nested deeper. */
  public static JsonNode parseAnswer(byte[] utf8) {
    ObjectNode compact = new CompactJsonReader(utf8, 0, null).read(null);
    return compact != null ? compact : parse(decode(utf8), MAX_ANSWER_DEPTH);
  }

  /**
   * Parses an object, best one written by {@link #write}.
   *
   * @param utf8 the bytes, of which the first {@code from} are not part of the text
   * @param names the names of the members to return, after which the rest is not read; null for all
   * @param shared the names that documents have in common; null for none
   * @return null if the value is not an object
   * @throws DocumentException as {@link #parse(byte[])}
   */
  public static @Nullable ObjectNode parseObject(
      byte[] utf8, int from, @Nullable Set<String> names, @Nullable MemberNames shared) {
    ObjectNode compact = new CompactJsonReader(utf8, from, shared).read(names);
    if (compact != null) {
      return compact;
    }
    byte[] text = Arrays.copyOfRange(utf8, from, utf8.length);
    return names != null
        ? parseMembers(text, names)
        : parse(text) instanceof ObjectNode object ? object : null;
  }

  private static @Nullable ObjectNode parseMembers(byte[] utf8, Set<String> names) {
    String text = decode(utf8);
    try (JsonParser parser = FACTORY.createParser(text)) {
      return new JsonTree(parser, MAX_DEPTH).readMembers(names);
    } catch (IOException e) {
      throw JsonFault.of(e, text);
    }
  }

  /** Returns a deep copy of a value. */
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
    return parse(text, MAX_DEPTH);
  }

  private static JsonNode parse(String text, int maxDepth) {
    try (JsonParser parser = FACTORY.createParser(text)) {
      return new JsonTree(parser, maxDepth).read();
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

  /**
   * Returns compact JSON in UTF-8.
   *
   * @throws IllegalArgumentException if the value is undefined
   */
  public static byte[] write(JsonNode value) {
    // via text: Jackson writes each surrogate pair as two escapes in bytes, three times as long
    byte[] utf8 = writeText(value).getBytes(StandardCharsets.UTF_8); // has no lone surrogates
    checkpointAfter(utf8.length);
    return utf8;
  }

  /** Returns compact JSON; lone surrogates are escaped. */
  public static String writeText(JsonNode value) {
    return writeText(value, null);
  }

  /**
   * Returns compact JSON with a custom format of numbers.
   *
   * @param numbers the text of a finite number; null for the number's own digits
   */
  public static String writeText(JsonNode value, @Nullable Function<JsonNode, String> numbers) {
    try {
      return write(value, numbers, new CharArrayWriter());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns compact JSON, or gives up as soon as the text is too long. Shared parts of a value take
   * no memory, but their text does.
   *
   * @param maxLength the maximum length in characters
   * @return null if the text is longer, or nested deeper than any generator allows
   */
  public static @Nullable String writeText(
      JsonNode value, @Nullable Function<JsonNode, String> numbers, int maxLength) {
    try {
      String text = write(value, numbers, new BoundedWriter(maxLength));
      return text.length() > maxLength ? null : text;
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

  static DocumentException invalid(String message, @Nullable Throwable cause) {
    return new DocumentException(DocumentErrorCode.INVALID_ITEM, message, cause);
  }
}
