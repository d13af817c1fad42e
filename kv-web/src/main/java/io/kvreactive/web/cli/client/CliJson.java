package io.kvreactive.web.cli.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvException;
import io.kvreactive.json.Utf8;
import io.kvreactive.web.cli.ExitCode;
import io.kvreactive.web.internal.json.JsonErrors;
import io.kvreactive.web.internal.json.StrictMapper;

/** Reads JSON of the command line and of servers. */
public final class CliJson {
  private static final JsonMapper MAPPER =
      StrictMapper.of(StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build());

  private CliJson() {}

  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /**
   * Parses JSON of the command line.
   *
   * @param what the name of the input, for the error
   */
  public static JsonNode typed(String what, String text) {
    try {
      JsonNode json = MAPPER.readTree(text);
      if (!json.isMissingNode()) {
        return json;
      }
    } catch (JsonProcessingException e) {
      throw new CliException(ExitCode.USAGE, what + " is not JSON at " + JsonErrors.words(e));
    }
    throw new CliException(ExitCode.USAGE, what + " is empty (expected: JSON)");
  }

  /** Parses JSON of the command line, as UTF-8. A leading byte order mark is skipped. */
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

  /** Parses JSON of a server. */
  public static ObjectNode sent(String text) {
    try {
      if (MAPPER.readTree(text) instanceof ObjectNode object) {
        return object;
      }
    } catch (JsonProcessingException e) {
      // reported below
    }
    throw new CliException(
        ExitCode.FAILED,
        "the server's answer is not understood; is it one of kv-reactive? It begins: "
            + text.substring(0, Math.min(text.length(), 60)).replaceAll("\\p{Cntrl}", " "));
  }
}
