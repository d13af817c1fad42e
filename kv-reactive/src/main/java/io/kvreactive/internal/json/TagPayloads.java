package io.kvreactive.internal.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Base64;
import java.util.List;

/** Payloads that several tags share. */
final class TagPayloads {
  private TagPayloads() {}

  static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  static byte[] base64(JsonNode payload, JsonPosition at) {
    if (payload.isTextual()) {
      try {
        return Base64.getDecoder().decode(payload.textValue());
      } catch (IllegalArgumentException e) {
        throw at.invalid(payload, "base64; " + e.getMessage());
      }
    }
    throw at.invalid(payload, "a string of base64");
  }

  /** Requires the payload {@code true}, for tags without content. */
  static void requireTrue(JsonNode payload, JsonPosition at) {
    if (!payload.isBoolean() || !payload.booleanValue()) {
      throw at.invalid(payload, "true");
    }
  }

  static void requireArray(JsonNode payload, JsonPosition at) {
    if (!payload.isArray()) {
      throw at.invalid(payload, "an array");
    }
  }

  /** Requires an object without other properties than these. */
  static void requireRecord(JsonNode payload, JsonPosition at, List<String> names) {
    if (!payload.isObject()) {
      throw at.invalid(payload, "an object with " + String.join(", ", names));
    }
    for (var property : payload.properties()) {
      if (!names.contains(property.getKey())) {
        at.enter(property.getKey());
        throw at.invalid(property.getValue(), "no properties but " + String.join(", ", names));
      }
    }
  }
}
