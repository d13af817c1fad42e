package io.kvreactive.server.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvException;
import io.kvreactive.json.JsonSyntax;
import io.kvreactive.json.Utf8;
import io.kvreactive.server.ExitCode;
import java.util.Set;
import java.util.function.Function;

/** Parses the JSON of the command line and of servers. */
public final class CliJson {
  private static final Set<String> LITERALS = Set.of("true", "false", "null");

  private static final JsonMapper MAPPER =
      JsonSyntax.mapper(StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build());

  private CliJson() {}

  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /**
   * Parses JSON of the command line.
   *
   * @param what the name of the input, for errors
   * @throws CliException USAGE
   */
  public static JsonNode typed(String what, String text) {
    JsonNode json =
        parse(text, why -> new CliException(ExitCode.USAGE, what + " is not JSON at " + why));
    if (json.isMissingNode()) {
      throw new CliException(ExitCode.USAGE, what + " is empty (expected: JSON)");
    }
    return json;
  }

  /**
   * Parses a partition key of the command line: JSON, or a text that begins with a letter.
   *
   * @throws CliException USAGE
   */
  public static JsonNode partitionKey(String text) {
    String key = text.strip();
    boolean plain = !key.isEmpty() && Character.isLetter(key.codePointAt(0));
    return plain && !LITERALS.contains(key)
        ? JsonNodeFactory.instance.textNode(key)
        : typed("--partition", key);
  }

  /** Parses JSON of the command line in UTF-8. A leading byte order mark is skipped. */
  public static JsonNode typed(String what, byte[] utf8) {
    try {
      return typed(what, Utf8.decodeDocument(utf8));
    } catch (KvException e) {
      throw new CliException(ExitCode.USAGE, what + ": " + e.detail());
    }
  }

  /** Returns JSON as text that can be encoded: lone surrogates are escaped. */
  public static String print(JsonNode json) {
    return Utf8.escape(json.toString());
  }

  /**
   * Parses the JSON of a response.
   *
   * @throws CliException FAILED if the response is not a JSON object
   */
  public static ObjectNode sent(String text) {
    if (parse(text, why -> unknown(text)) instanceof ObjectNode object) {
      return object;
    }
    throw unknown(text);
  }

  private static CliException unknown(String text) {
    return new CliException(
        ExitCode.FAILED,
        "unexpected response; is the server one of kv-reactive? It begins: "
            + text.substring(0, Math.min(text.length(), 60)).replaceAll("[\\r\\n\\t]", " "));
  }

  /**
   * Parses one JSON value. A name that occurs twice in an object, and text after the value, are
   * errors. Returns a missing node for blank text.
   *
   * @param failure creates the exception from a description such as {@code line 1, column 14:
   *     unexpected end}
   */
  private static JsonNode parse(String text, Function<String, RuntimeException> failure) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw failure.apply(JsonSyntax.describe(e));
    }
  }
}
