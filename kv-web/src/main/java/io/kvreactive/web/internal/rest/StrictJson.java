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
import io.kvreactive.json.Utf8;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.json.JsonErrors;
import io.kvreactive.web.internal.json.StrictMapper;
import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads and writes the JSON of requests and responses, strictly and with limits. */
public final class StrictJson {
  /** Maximum depth: values nest up to 512 deep, and are nested in a few levels of the request. */
  private static final int MAX_DEPTH = 540;

  /**
   * Maximum number of tokens: the tree takes some hundred bytes for each, where the text takes two.
   */
  private static final long MAX_TOKENS = 1_000_000;

  /** Maximum size of a body that is copied as text; a larger one is decoded while it is parsed. */
  private static final int MAX_COPIED_BYTES = 64 << 10;

  private static final int SHOWN = 200;
  private static final JsonMapper MAPPER =
      StrictMapper.of(
          StreamReadConstraints.builder()
              .maxNestingDepth(MAX_DEPTH)
              .maxTokenCount(MAX_TOKENS)
              .maxStringLength(Integer.MAX_VALUE) // the body is bounded
              .maxNameLength(Integer.MAX_VALUE)
              .build());
  private static final ObjectWriter ASCII = MAPPER.writer().with(JsonWriteFeature.ESCAPE_NON_ASCII);

  private StrictJson() {}

  /** Returns an empty object. */
  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** Returns an array of text, numbers, booleans and nulls. */
  public static JsonNode array(List<? extends @Nullable Object> values) {
    return MAPPER.valueToTree(values);
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

  /** Finds the position of malformed bytes, which the decoder does not report. */
  private static WebException malformed(String what, byte[] utf8) {
    try {
      Utf8.requireWellFormed(utf8);
    } catch (KvException e) {
      return bad(what + ": " + e.detail());
    }
    throw new IllegalStateException("the decoder has refused well-formed UTF-8");
  }

  /** Parses one JSON value. */
  public static JsonNode parse(String what, String text) {
    try {
      return present(what, MAPPER.readTree(text));
    } catch (JsonProcessingException e) {
      throw unreadable(what, e);
    }
  }

  /**
   * Parses one JSON value in a single line.
   *
   * @param otherwise creates the exception from the description of an error
   */
  public static JsonNode parseLine(String text, Function<String, RuntimeException> otherwise) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw otherwise.apply(JsonErrors.wordsOfLine(e));
    }
  }

  private static JsonNode present(String what, JsonNode json) {
    if (json.isMissingNode()) {
      throw bad(what + ": empty (expected: JSON)");
    }
    return json;
  }

  private static WebException unreadable(String what, JsonProcessingException e) {
    return bad("%s at %s (expected: JSON)".formatted(what, JsonErrors.words(e)));
  }

  /** Returns the text of JSON in UTF-8. */
  public static byte[] bytes(JsonNode json) {
    try {
      return MAPPER.writeValueAsBytes(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of JSON can always be written", e);
    }
  }

  /** Returns the text of JSON, with all other characters than ASCII escaped. */
  public static String ascii(JsonNode json) {
    try {
      return ASCII.writeValueAsString(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of JSON can always be written", e);
    }
  }

  /**
   * Returns a generator that writes JSON incrementally.
   *
   * @param ascii true to escape other characters than ASCII
   */
  static JsonGenerator generator(Writer out, boolean ascii) throws IOException {
    return ascii ? ASCII.createGenerator(out) : MAPPER.createGenerator(out);
  }

  /** Returns the exception for an invalid request. */
  public static WebException bad(String detail) {
    return new WebException(WebErrorCode.BAD_REQUEST, detail);
  }

  /** Returns an excerpt of the input, short enough for a message. */
  public static String excerpt(String text) {
    return text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text;
  }
}
