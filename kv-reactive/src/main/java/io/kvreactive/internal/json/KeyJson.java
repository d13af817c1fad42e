package io.kvreactive.internal.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.json.Utf8;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * Keys as JSON: an array of their parts, or the encoded bytes of a key that its parts do not say.
 */
public final class KeyJson {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private KeyJson() {}

  /** The JSON of a key, also of one that cannot be decoded. Never throws. */
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
      // malformed
    }
    return Form.KEY.with(Payloads.base64(key.bytes()));
  }

  private static JsonNode partToJson(Object part) {
    if (part instanceof String s) {
      return JSON.textNode(s);
    } else if (part instanceof Double n) {
      return Numbers.toPlainJson(n);
    } else if (part instanceof Boolean b) {
      return JSON.booleanNode(b);
    } else if (part instanceof BigInteger n) {
      return Form.BIGINT.with(n.toString());
    } else {
      return Form.BYTES.with(Payloads.base64((byte[]) part));
    }
  }

  /**
   * The key of some JSON.
   *
   * @throws KvException INVALID_KEY
   */
  public static KvKey keyOf(JsonNode json) {
    return keyOf(json, new Place(KvErrorCode.INVALID_KEY, "JSON key", ""));
  }

  /**
   * The key of some JSON, also of one that cannot be decoded.
   *
   * @throws KvException INVALID_KEY
   */
  public static KvKey storedKeyOf(JsonNode json) {
    return storedKeyOf(json, new Place(KvErrorCode.INVALID_KEY, "JSON key", ""));
  }

  static KvKey storedKeyOf(JsonNode json, Place at) {
    return Form.KEY.is(json) ? KvKey.fromEncoded(encoded(json, at)) : keyOf(json, at);
  }

  private static byte[] encoded(JsonNode json, Place at) {
    at.enter(Form.KEY.tag());
    byte[] encoded = Payloads.base64(Form.KEY.payload(json), at);
    at.leave();
    return encoded;
  }

  private static KvKey keyOf(JsonNode json, Place at) {
    if (Form.KEY.is(json)) {
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

  private static Object part(JsonNode node, Place at) {
    if (node.isTextual()) {
      String text = node.textValue();
      if (!Utf8.isWellFormed(text)) {
        throw at.invalid(node, "a string without lone surrogates");
      }
      return text;
    } else if (node.isNumber()) {
      return Numbers.float64(node, at);
    } else if (node.isBoolean()) {
      return node.booleanValue();
    }
    return form(node, at);
  }

  private static Object form(JsonNode node, Place at) {
    String tag = Form.tagOf(node);
    Form form = tag == null ? null : Form.of(tag);
    if (form != Form.BIGINT && form != Form.BYTES && form != Form.NUMBER) {
      throw at.invalid(node, "a string, number, boolean, $bigint, $bytes or $number");
    }
    at.enter(form.tag());
    JsonNode payload = form.payload(node);
    Object part =
        switch (form) {
          case BIGINT -> Numbers.bigint(payload, at);
          case BYTES -> Payloads.base64(payload, at);
          default -> Numbers.named(payload, at);
        };
    at.leave();
    return part;
  }
}
