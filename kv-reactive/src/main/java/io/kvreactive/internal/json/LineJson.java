package io.kvreactive.internal.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.json.JsonSyntax;
import io.kvreactive.json.KvLine;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lines of an export as JSON trees and as text. */
public final class LineJson {
  private static final String DOCUMENT = "JSON line";
  private static final String KEY = "key";
  private static final String VALUE = "value";
  private static final String VERSIONSTAMP = "versionstamp";
  private static final String EXPIRE_AT = "expireAt";

  private static final JsonMapper TEXT =
      JsonSyntax.mapper(
          StreamReadConstraints.builder()
              .maxStringLength(Integer.MAX_VALUE)
              .maxNameLength(Integer.MAX_VALUE)
              .build());

  private LineJson() {}

  /** Returns the JSON of a line. Never throws. */
  public static ObjectNode toJson(KvLine line) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.set(KEY, KeyJson.toJson(line.key()));
    node.set(VALUE, ValueJson.toJson(line.value()));
    if (line.versionstamp() != null) {
      node.put(VERSIONSTAMP, line.versionstamp().toString());
    }
    if (line.expireAt() != 0) {
      node.put(EXPIRE_AT, line.expireAt());
    }
    return node;
  }

  /**
   * Returns the line of a JSON tree.
   *
   * @throws KvException INVALID_KEY, INVALID_VALUE, INVALID_VERSIONSTAMP, or else INVALID_ARGUMENT
   */
  public static KvLine lineOf(JsonNode json) {
    JsonPosition at = new JsonPosition(KvErrorCode.INVALID_ARGUMENT, DOCUMENT, "");
    TagPayloads.requireRecord(json, at, List.of(KEY, VALUE, VERSIONSTAMP, EXPIRE_AT));
    for (String name : List.of(KEY, VALUE)) {
      if (!json.has(name)) {
        throw at.invalid(json, "a property " + name);
      }
    }
    KvKey key =
        KeyJson.storedKeyOf(
            json.path(KEY), new JsonPosition(KvErrorCode.INVALID_KEY, DOCUMENT, "/" + KEY));
    KvValue value =
        ValueJson.valueOf(
            json.path(VALUE), new JsonPosition(KvErrorCode.INVALID_VALUE, DOCUMENT, "/" + VALUE));
    return new KvLine(
        key, value, versionstamp(json.path(VERSIONSTAMP), at), expireAt(json.path(EXPIRE_AT), at));
  }

  private static @Nullable Versionstamp versionstamp(JsonNode node, JsonPosition at) {
    if (node.isMissingNode() || node.isNull()) {
      return null;
    }
    if (!node.isTextual()) {
      at.enter(VERSIONSTAMP);
      throw at.invalid(node, "20 hex digits");
    }
    return Versionstamp.parse(node.textValue());
  }

  private static long expireAt(JsonNode node, JsonPosition at) {
    if (node.isMissingNode()) {
      return 0;
    }
    if (!node.isIntegralNumber() || !node.canConvertToLong() || node.longValue() < 0) {
      at.enter(EXPIRE_AT);
      throw at.invalid(node, "whole milliseconds since 1970, at least 0");
    }
    return node.longValue();
  }

  /** Returns the text of a line, without a line end. */
  public static String print(KvLine line) {
    try {
      return TEXT.writeValueAsString(toJson(line));
    } catch (JsonProcessingException e) {
      throw new KvException(KvErrorCode.INTERNAL, "JSON line: " + e.getMessage(), e);
    }
  }

  /**
   * Returns JSON text in UTF-8. Printed as a string first, because Jackson's UTF-8 writer escapes
   * emoji.
   */
  static byte[] printBytes(JsonNode json) {
    try {
      return TEXT.writeValueAsString(json).getBytes(StandardCharsets.UTF_8);
    } catch (JsonProcessingException e) {
      throw new KvException(KvErrorCode.INTERNAL, "JSON: " + e.getMessage(), e);
    }
  }

  /**
   * Parses a line of text.
   *
   * @throws KvException INVALID_ARGUMENT if the text is not JSON; else as {@link #lineOf}
   */
  public static KvLine parse(String text) {
    JsonNode json;
    try {
      json = TEXT.readTree(text);
    } catch (JsonProcessingException e) {
      int column = JsonSyntax.column(e);
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          DOCUMENT
              + " at column "
              + column
              + ": "
              + JsonExcerpt.around(text, column - 1).stripTrailing()
              + " (expected: JSON; "
              + JsonSyntax.reason(e)
              + ")",
          e);
    }
    return lineOf(json);
  }
}
