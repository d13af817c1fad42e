package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvException;
import io.kvreactive.json.JsonSyntax;
import io.kvreactive.json.Utf8;
import io.kvreactive.protocol.JsonForm;
import io.kvreactive.protocol.JsonInput;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import java.io.IOException;
import java.io.Writer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Parses and writes the JSON of requests and responses, strictly and within limits. */
public final class StrictJson {
  /** Maximum depth. Values nest up to 512 levels deep, inside a few levels of the request. */
  private static final int MAX_DEPTH = 540;

  /**
   * Maximum number of tokens. A token takes at least two bytes of text and about a hundred bytes in
   * the tree.
   */
  private static final long MAX_TOKENS = 1_000_000;

  /**
   * Maximum size in bytes of a body that is decoded as a whole. A larger body is decoded while it
   * is parsed.
   */
  private static final int MAX_COPIED_BYTES = 64 << 10;

  private static final JsonMapper MAPPER =
      JsonSyntax.mapper(
          StreamReadConstraints.builder()
              .maxNestingDepth(MAX_DEPTH)
              .maxTokenCount(MAX_TOKENS)
              .maxStringLength(Integer.MAX_VALUE) // the size of the body is limited
              .maxNameLength(Integer.MAX_VALUE)
              .build());
  private static final ObjectWriter ASCII = MAPPER.writer().with(JsonWriteFeature.ESCAPE_NON_ASCII);

  private StrictJson() {}

  /** Creates an empty object. */
  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** Returns a string, a number, a boolean, null or a record of them as JSON. */
  public static JsonNode tree(@Nullable Object value) {
    return MAPPER.valueToTree(value);
  }

  /**
   * Reads a message of a caller.
   *
   * @param place the name of the message, for errors
   * @throws WebException BAD_REQUEST
   */
  public static <T> T read(JsonNode json, String place, JsonForm<T> form) {
    return form.read(input(json, place));
  }

  /**
   * Returns the message of a caller.
   *
   * @param place the name of the message, for errors, which are BAD_REQUEST
   */
  static JsonInput input(JsonNode json, String place) {
    return JsonInput.strict(place, json, StrictJson::bad);
  }

  /**
   * Parses one JSON value in UTF-8. A leading byte order mark is skipped.
   *
   * @param what the name of the input, for messages
   * @throws WebException BAD_REQUEST
   */
  public static JsonNode parse(String what, byte[] utf8) {
    try {
      return present(
          what,
          utf8.length <= MAX_COPIED_BYTES
              ? MAPPER.readTree(Utf8.decodeDocument(utf8))
              : MAPPER.readTree(Utf8.documentReader(utf8)));
    } catch (JsonProcessingException e) {
      throw unreadable(what, e);
    } catch (KvException e) {
      throw bad(what + ": " + e.detail());
    } catch (IOException e) {
      throw malformed(what, utf8);
    }
  }

  /**
   * Returns the exception with the position of malformed bytes, which the decoder does not report.
   */
  private static WebException malformed(String what, byte[] utf8) {
    try {
      Utf8.requireWellFormed(utf8);
    } catch (KvException e) {
      return bad(what + ": " + e.detail());
    }
    throw new IllegalStateException("the decoder rejected well-formed UTF-8");
  }

  /**
   * Parses one JSON value.
   *
   * @param what the name of the input, for messages
   * @throws WebException BAD_REQUEST
   */
  public static JsonNode parse(String what, String text) {
    try {
      return present(what, MAPPER.readTree(text));
    } catch (JsonProcessingException e) {
      throw unreadable(what, e);
    }
  }

  /**
   * Parses one JSON value in a single line. Returns a missing node for blank text.
   *
   * @param otherwise creates the exception from the description of an error
   */
  public static JsonNode parseLine(String text, Function<String, RuntimeException> otherwise) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw otherwise.apply(JsonSyntax.describeInLine(e));
    }
  }

  private static JsonNode present(String what, JsonNode json) {
    if (json.isMissingNode()) {
      throw bad(what + ": empty (expected: JSON)");
    }
    return json;
  }

  private static WebException unreadable(String what, JsonProcessingException e) {
    return bad("%s at %s (expected: JSON)".formatted(what, JsonSyntax.describe(e)));
  }

  /** Writes JSON as UTF-8. */
  public static byte[] bytes(JsonNode json) {
    try {
      return MAPPER.writeValueAsBytes(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("cannot write a tree of JSON", e);
    }
  }

  /** Writes JSON in ASCII characters. All other characters are escaped. */
  public static String ascii(JsonNode json) {
    try {
      return ASCII.writeValueAsString(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("cannot write a tree of JSON", e);
    }
  }

  /**
   * Creates a generator that writes JSON incrementally.
   *
   * @param ascii true to escape all characters other than ASCII
   */
  static JsonGenerator generator(Writer out, boolean ascii) throws IOException {
    return ascii ? ASCII.createGenerator(out) : MAPPER.createGenerator(out);
  }

  /** Creates the exception for an invalid request, BAD_REQUEST. */
  public static WebException bad(String detail) {
    return new WebException(WebErrorCode.BAD_REQUEST, detail);
  }

  /** Returns at most 200 characters of the input, for use in a message. */
  public static String excerpt(String text) {
    return JsonInput.excerpt(text);
  }
}
