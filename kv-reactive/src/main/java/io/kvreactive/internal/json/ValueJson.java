package io.kvreactive.internal.json;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.internal.value.ValueMapper;

/**
 * JSON of values. A value is written readably only if reading it back gives the same bytes, except
 * for the version in the header; any other value is written as its bytes.
 */
public final class ValueJson {
  private static final ValueMapper VALUES = new ValueMapper();

  private ValueJson() {}

  /** Returns the JSON of a value, even a malformed one. Never throws. */
  public static JsonNode toJson(KvValue value) {
    byte[] bytes = value.bytes();
    return switch (value.encoding()) {
      case BYTES -> JsonTag.BYTES.with(TagPayloads.base64(bytes));
      case LE64 -> JsonTag.U64.with(String.valueOf(VALUES.decode(value, Object.class)));
      case V8 -> v8ToJson(value);
    };
  }

  private static JsonNode v8ToJson(KvValue value) {
    try {
      Object natural = VALUES.decode(value, Object.class);
      JsonNode json = ValueWriter.write(natural, value.bytes().length);
      if (json != null && valueOf(json).equals(ValueMapper.withOurVersion(value))) {
        return json;
      }
    } catch (KvException | StackOverflowError e) {
      // malformed, or nested too deeply for JSON: written as bytes
    }
    return JsonTag.V8.with(TagPayloads.base64(value.bytes()));
  }

  /**
   * Returns the value of a JSON node.
   *
   * @throws KvException INVALID_VALUE
   */
  public static KvValue valueOf(JsonNode json) {
    return valueOf(json, new JsonPosition(KvErrorCode.INVALID_VALUE, "JSON value", ""));
  }

  static KvValue valueOf(JsonNode json, JsonPosition at) {
    try {
      return VALUES.encode(ValueReader.read(json, at));
    } catch (StackOverflowError e) {
      throw new KvException(
          KvErrorCode.INVALID_VALUE, "JSON value: nests deeper than this thread's stack allows", e);
    }
  }
}
