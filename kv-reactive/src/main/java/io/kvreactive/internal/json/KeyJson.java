package io.kvreactive.internal.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.json.JsonSyntax;
import io.kvreactive.json.Utf8;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * JSON of keys: an array of their parts, or the encoded bytes if the parts do not determine the
 * key.
 */
public final class KeyJson {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private static final JsonMapper PLAIN = JsonSyntax.mapper();

  private KeyJson() {}

  /** Returns the JSON of a key, even a malformed one. Never throws. */
  public static JsonNode toJson(KvKey key) {
    try {
      ArrayNode parts = JSON.arrayNode();
      for (Object part : key.parts()) {
        parts.add(partToJson(part));
      }
      if (keyOf(parts).equals(key)) {
        return parts;
      }
    } catch (KvException e) {
      // malformed: written as bytes
    }
    return JsonTag.KEY.with(TagPayloads.base64(key.bytes()));
  }

  private static JsonNode partToJson(Object part) {
    if (part instanceof String s) {
      return JSON.textNode(s);
    } else if (part instanceof Double n) {
      return NumberJson.toPlainJson(n);
    } else if (part instanceof Boolean b) {
      return JSON.booleanNode(b);
    } else if (part instanceof BigInteger n) {
      return JsonTag.BIGINT.with(n.toString());
    } else {
      return JsonTag.BYTES.with(TagPayloads.base64((byte[]) part));
    }
  }

  /**
   * Returns the key of a JSON node.
   *
   * @throws KvException INVALID_KEY
   */
  public static KvKey keyOf(JsonNode json) {
    return keyOf(json, new JsonPosition(KvErrorCode.INVALID_KEY, "JSON key", ""));
  }

  /**
   * Returns the JSON of a key as lists, maps and scalars, which every version of Jackson writes.
   */
  public static Object toPlain(KvKey key) {
    return PLAIN.convertValue(toJson(key), Object.class);
  }

  /**
   * Returns the key of a list of parts that a JSON parser has read.
   *
   * @throws KvException INVALID_KEY
   */
  public static KvKey ofPlain(List<Object> parts) {
    return keyOf(PLAIN.<JsonNode>valueToTree(parts));
  }

  /**
   * Returns the key of a JSON text.
   *
   * @throws KvException INVALID_KEY
   */
  public static KvKey parse(String text) {
    try {
      return keyOf(PLAIN.readTree(text));
    } catch (JsonProcessingException e) {
      throw new KvException(
          KvErrorCode.INVALID_KEY, "JSON key at " + JsonSyntax.describeInLine(e), e);
    }
  }

  /**
   * Returns the key of a JSON node, which may contain the bytes of a malformed key.
   *
   * @throws KvException INVALID_KEY
   */
  public static KvKey storedKeyOf(JsonNode json) {
    return storedKeyOf(json, new JsonPosition(KvErrorCode.INVALID_KEY, "JSON key", ""));
  }

  static KvKey storedKeyOf(JsonNode json, JsonPosition at) {
    return JsonTag.KEY.is(json) ? KvKey.fromEncoded(encoded(json, at)) : keyOf(json, at);
  }

  private static byte[] encoded(JsonNode json, JsonPosition at) {
    at.enter(JsonTag.KEY.tag());
    byte[] encoded = TagPayloads.base64(JsonTag.KEY.payload(json), at);
    at.leave();
    return encoded;
  }

  private static KvKey keyOf(JsonNode json, JsonPosition at) {
    if (JsonTag.KEY.is(json)) {
      return KvKey.decode(encoded(json, at));
    }
    if (!json.isArray()) {
      throw at.invalid(json, "an array of key parts");
    }
    List<Object> parts = new ArrayList<>();
    for (JsonNode part : json) {
      at.enter(parts.size());
      parts.add(part(part, at));
      at.leave();
    }
    return KvKey.of(parts);
  }

  private static Object part(JsonNode node, JsonPosition at) {
    if (node.isTextual()) {
      String text = node.textValue();
      if (!Utf8.isWellFormed(text)) {
        throw at.invalid(node, "a string without lone surrogates");
      }
      return text;
    } else if (node.isNumber()) {
      return NumberJson.float64(node, at);
    } else if (node.isBoolean()) {
      return node.booleanValue();
    }
    return form(node, at);
  }

  private static Object form(JsonNode node, JsonPosition at) {
    String tag = JsonTag.tagOf(node);
    JsonTag form = tag == null ? null : JsonTag.of(tag);
    if (form != JsonTag.BIGINT && form != JsonTag.BYTES && form != JsonTag.NUMBER) {
      throw at.invalid(node, "a string, number, boolean, $bigint, $bytes or $number");
    }
    at.enter(form.tag());
    JsonNode payload = form.payload(node);
    Object part =
        switch (form) {
          case BIGINT -> NumberJson.bigint(payload, at);
          case BYTES -> TagPayloads.base64(payload, at);
          default -> NumberJson.named(payload, at);
        };
    at.leave();
    return part;
  }
}
