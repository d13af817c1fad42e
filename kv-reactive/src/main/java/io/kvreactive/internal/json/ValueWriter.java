package io.kvreactive.internal.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.json.Utf8;
import io.kvreactive.value.JsArray;
import io.kvreactive.value.JsArrayBuffer;
import io.kvreactive.value.JsBoxed;
import io.kvreactive.value.JsDate;
import io.kvreactive.value.JsError;
import io.kvreactive.value.JsHole;
import io.kvreactive.value.JsMap;
import io.kvreactive.value.JsRegExp;
import io.kvreactive.value.JsSet;
import io.kvreactive.value.JsSparseArray;
import io.kvreactive.value.JsTypedArray;
import io.kvreactive.value.JsUndefined;
import java.math.BigInteger;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes a decoded value as readable JSON, if it has such a form. Shared parts are not detected.
 * Instead the size is bounded: without sharing, JSON cannot contain more than the encoded bytes.
 */
final class ValueWriter {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final int GIVEN_UP = -1;

  /** Allowance beyond the encoded size for a few holes, which take no bytes. */
  private static final int SLACK = 100;

  /** Maximum length of names that may be encoded in fewer bytes: array indexes. */
  private static final int MAX_INDEX_DIGITS = 10;

  private int left;
  private int depth;

  private ValueWriter(int size) {
    left = (int) Math.min(Integer.MAX_VALUE, (long) size + SLACK);
  }

  /**
   * Returns the JSON of a value. Reading it back may still give another value, if JSON cannot
   * express a detail.
   *
   * @param size the size of the encoded value, in bytes
   * @return the JSON, or null if the value has no readable form
   */
  static @Nullable JsonNode write(@Nullable Object natural, int size) {
    ValueWriter writer = new ValueWriter(size);
    JsonNode json = writer.write(natural);
    return writer.left == GIVEN_UP ? null : json;
  }

  private JsonNode giveUp() {
    left = GIVEN_UP;
    return JSON.nullNode();
  }

  /** Takes bytes from the budget; returns false and gives up if too few are left. */
  private boolean took(long bytes) {
    left = bytes > left ? GIVEN_UP : left - (int) bytes;
    return left != GIVEN_UP;
  }

  /**
   * Writes a value, recursively through {@link #container}. Has few locals, because the stack may
   * be small.
   */
  private JsonNode write(@Nullable Object value) {
    JsonNode json = leaf(value);
    if (json == null) {
      json = ++depth > JsonPosition.MAX_DEPTH ? giveUp() : container(Objects.requireNonNull(value));
      depth--;
    }
    return json;
  }

  private JsonNode string(String text) {
    return took(text.length()) ? StringJson.toJson(text) : giveUp();
  }

  private JsonNode orGiveUp(@Nullable JsonNode json) {
    return json == null ? giveUp() : json;
  }

  /** Returns the JSON of a value that cannot contain other values, or null for any other value. */
  private @Nullable JsonNode leaf(@Nullable Object value) {
    if (!took(1)) {
      return giveUp();
    } else if (value == null) {
      return JSON.nullNode();
    } else if (value instanceof String s) {
      return string(s);
    } else if (value instanceof Integer n) {
      return JSON.numberNode(n);
    } else if (value instanceof Double n) {
      return NumberJson.toJson(n);
    } else if (value instanceof Boolean b) {
      return JSON.booleanNode(b);
    } else if (value instanceof BigInteger n) {
      return took(n.bitLength() / 8) ? orGiveUp(NumberJson.toJson(n)) : giveUp();
    } else if (value instanceof JsUndefined) {
      return JsonTag.UNDEFINED.with(JSON.booleanNode(true));
    } else if (value instanceof JsDate date) {
      return DateAndRegExpJson.toJson(date);
    } else if (value instanceof byte[] bytes) {
      return took(bytes.length) ? JsonTag.BYTES.with(TagPayloads.base64(bytes)) : giveUp();
    } else if (value instanceof JsArrayBuffer buffer) {
      return took(buffer.byteLength()) ? orGiveUp(BufferJson.toJson(buffer)) : giveUp();
    } else if (value instanceof JsTypedArray view) {
      return took(view.byteLength()) ? orGiveUp(BufferJson.toJson(view)) : giveUp();
    } else if (value instanceof JsRegExp pattern) {
      return took(pattern.source().length()) ? DateAndRegExpJson.toJson(pattern) : giveUp();
    }
    return null;
  }

  private JsonNode container(Object value) {
    if (value instanceof JsMap map) {
      return map(map);
    } else if (value instanceof Map<?, ?> object) {
      return object(object);
    } else if (value instanceof JsSet set) {
      return JsonTag.SET.with(elements(set));
    } else if (value instanceof JsSparseArray array) {
      return sparse(array);
    } else if (value instanceof JsArray array && !array.hasProperties()) {
      return elements(array);
    } else if (value instanceof JsError error) {
      return error(error);
    } else if (value instanceof JsBoxed boxed) {
      left++; // the box and its content may be encoded in one byte
      return JsonTag.BOXED.with(write(boxed.value()));
    }
    return giveUp();
  }

  private JsonNode object(Map<?, ?> object) {
    ObjectNode properties = JSON.objectNode();
    boolean reserved = false;
    for (Map.Entry<?, ?> property : object.entrySet()) {
      String name = (String) property.getKey();
      if (!took(name.length() > MAX_INDEX_DIGITS ? name.length() : 1) || !Utf8.isWellFormed(name)) {
        return giveUp();
      }
      reserved |= JsonTag.isReserved(name);
      properties.set(name, write(property.getValue()));
    }
    return reserved ? JsonTag.OBJECT.with(properties) : properties;
  }

  private ArrayNode elements(Iterable<?> elements) {
    ArrayNode array = JSON.arrayNode();
    for (Object element : elements) {
      if (left == GIVEN_UP) {
        break;
      }
      array.add(element == JsHole.HOLE ? hole() : write(element));
    }
    return array;
  }

  private JsonNode hole() {
    return took(1) ? JsonTag.HOLE.with(JSON.booleanNode(true)) : giveUp();
  }

  /**
   * Returns the JSON of a sparse array. Its holes take no bytes, so its length is charged again.
   */
  private JsonNode sparse(JsSparseArray array) {
    return array.properties().isEmpty() && took(array.length())
        ? JsonTag.SPARSE.with(elements(array))
        : giveUp();
  }

  private JsonNode map(JsMap map) {
    ArrayNode entries = JSON.arrayNode();
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      if (left == GIVEN_UP) {
        break;
      }
      entries.addArray().add(write(entry.getKey())).add(write(entry.getValue()));
    }
    return JsonTag.MAP.with(entries);
  }

  private JsonNode error(JsError error) {
    ObjectNode record = JSON.objectNode();
    record.put("name", error.kind().jsName());
    if (error.message() != null) {
      record.set("message", string(error.message()));
    }
    if (error.stack() != null) {
      record.set("stack", string(error.stack()));
    }
    if (error.hasCause()) {
      record.set("cause", write(error.cause()));
    }
    return JsonTag.ERROR.with(record);
  }
}
