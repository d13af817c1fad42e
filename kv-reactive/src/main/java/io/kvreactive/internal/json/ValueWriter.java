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
 * Writes a decoded value as readable JSON, or gives up. It does not look for parts that are shared:
 * without sharing the JSON cannot hold more than the encoded bytes did, and beyond that it stops.
 */
final class ValueWriter {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final int GIVEN_UP = -1;

  /** Above the encoded size, so that a few holes, which take no bytes, can be shown. */
  private static final int SLACK = 100;

  /** Names up to this long may be encoded shorter than they are: as array indices. */
  private static final int MAX_INDEX_DIGITS = 10;

  private int left;
  private int depth;

  private ValueWriter(int size) {
    left = (int) Math.min(Integer.MAX_VALUE, (long) size + SLACK);
  }

  /**
   * Returns the JSON of a value, which may still differ from it in what JSON does not show.
   *
   * @param size of the encoded value, in bytes
   * @return null if there is no readable form
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

  /** Returns true if so much of the encoded bytes is left. */
  private boolean took(long bytes) {
    left = bytes > left ? GIVEN_UP : left - (int) bytes;
    return left != GIVEN_UP;
  }

  /** Recurses, through {@link #container}. Has few locals, because the stack may be small. */
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

  /** What contains no other values, or null for what may. */
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
      left++; // the box and what is in it may be one byte
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

  /** Returns an array whose holes take no bytes: counted once more, for an element's index. */
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
