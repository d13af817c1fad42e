package io.kvreactive.internal.json;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvU64;
import io.kvreactive.KvValue;
import io.kvreactive.value.JsArray;
import io.kvreactive.value.JsArrayBuffer;
import io.kvreactive.value.JsBoxed;
import io.kvreactive.value.JsError;
import io.kvreactive.value.JsHole;
import io.kvreactive.value.JsMap;
import io.kvreactive.value.JsSet;
import io.kvreactive.value.JsSparseArray;
import io.kvreactive.value.JsUndefined;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads JSON into natural Java values. The input is not trusted. */
final class ValueReader {
  private static final int SHOWN_NAME = 40;

  private final JsonPosition at;

  private ValueReader(JsonPosition at) {
    this.at = at;
  }

  /**
   * Reads a whole value.
   *
   * @throws io.kvreactive.KvException with the error code of the position
   */
  static @Nullable Object read(JsonNode json, JsonPosition at) {
    return new ValueReader(at).read(json);
  }

  private @Nullable Object read(JsonNode node) {
    return switch (node.getNodeType()) {
      case OBJECT -> object(node);
      case ARRAY -> array(node);
      case STRING -> node.textValue();
      case NUMBER -> NumberJson.read(node, at);
      case BOOLEAN -> node.booleanValue();
      case NULL -> null;
      case BINARY, POJO, MISSING -> throw at.invalid(node, "a JSON value");
    };
  }

  /**
   * Returns the expectation for a tag that does not exist, with the JSON of a property so named.
   */
  private static String known(String tag) {
    String name = tag.length() > SHOWN_NAME ? "$…" : tag;
    return "a known form, such as $map, $set, $bigint, $date, $bytes or $undefined;"
        + " for a property named "
        + name
        + " write {\"$object\":{\""
        + name
        + "\":…}}";
  }

  private @Nullable Object object(JsonNode node) {
    String tag = JsonTag.tagOf(node);
    if (tag == null) {
      return properties(node, false);
    }
    JsonTag form = JsonTag.of(tag);
    if (form == null) {
      throw at.invalid(node, known(tag));
    }
    boolean whole = at.isRoot();
    at.enter(tag);
    JsonNode payload = form.payload(node);
    Object value =
        switch (form) {
          case BIGINT -> NumberJson.bigint(payload, at);
          case NUMBER -> NumberJson.named(payload, at);
          case STRING -> StringJson.pieces(payload, at);
          case BYTES -> TagPayloads.base64(payload, at);
          case DATE -> DateAndRegExpJson.date(payload, at);
          case REG_EXP -> DateAndRegExpJson.regExp(payload, at);
          case ARRAY_BUFFER -> new JsArrayBuffer(TagPayloads.base64(payload, at));
          case TYPED_ARRAY -> BufferJson.typedArray(payload, at);
          case UNDEFINED -> {
            TagPayloads.requireTrue(payload, at);
            yield JsUndefined.UNDEFINED;
          }
          case OBJECT -> properties(payload, true);
          case MAP -> map(payload);
          case SET -> set(payload);
          case SPARSE -> sparse(payload);
          case ERROR -> error(payload);
          case BOXED -> boxed(payload);
          case U64 -> u64(payload, whole);
          case V8 -> v8(payload, whole);
          case HOLE -> throw at.invalid(payload, "no $hole but as an element of an array");
          case KEY -> throw at.invalid(payload, "no $key in a value");
        };
    at.leave();
    return value;
  }

  /**
   * Reads the properties of an object.
   *
   * @param literal true if names may begin with a dollar sign
   */
  private Map<String, @Nullable Object> properties(JsonNode node, boolean literal) {
    if (!node.isObject()) {
      throw at.invalid(node, "an object");
    }
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> property : node.properties()) {
      String name = property.getKey();
      at.enter(name);
      if (!literal && JsonTag.isReserved(name)) {
        throw at.invalid(
            property.getValue(), "{\"$object\":…} around properties that begin with $");
      }
      object.put(name, read(property.getValue()));
      at.leave();
    }
    return object;
  }

  private JsArray array(JsonNode node) {
    JsArray array = new JsArray(node.size());
    for (JsonNode element : node) {
      at.enter(array.size());
      array.add(element(element));
      at.leave();
    }
    return array;
  }

  private @Nullable Object element(JsonNode node) {
    if (!JsonTag.HOLE.is(node)) {
      return read(node);
    }
    at.enter(JsonTag.HOLE.tag());
    TagPayloads.requireTrue(JsonTag.HOLE.payload(node), at);
    at.leave();
    return JsHole.HOLE;
  }

  private JsSparseArray sparse(JsonNode payload) {
    TagPayloads.requireArray(payload, at);
    JsSparseArray array = new JsSparseArray(payload.size());
    for (int i = 0; i < payload.size(); i++) {
      at.enter(i);
      var unused = array.put(i, element(payload.path(i)));
      at.leave();
    }
    return array;
  }

  private JsSet set(JsonNode payload) {
    TagPayloads.requireArray(payload, at);
    JsSet set = new JsSet();
    for (JsonNode member : payload) {
      at.enter(set.size());
      if (!set.add(read(member))) {
        throw at.invalid(member, "each member once");
      }
      at.leave();
    }
    return set;
  }

  private JsMap map(JsonNode payload) {
    TagPayloads.requireArray(payload, at);
    JsMap map = new JsMap();
    for (JsonNode entry : payload) {
      at.enter(map.size());
      if (!entry.isArray() || entry.size() != 2) {
        throw at.invalid(entry, "[key, value]");
      }
      at.enter(0);
      Object key = read(entry.path(0));
      if (map.containsKey(key)) {
        throw at.invalid(entry.path(0), "each key once");
      }
      at.leave();
      at.enter(1);
      map.put(key, read(entry.path(1)));
      at.leave();
      at.leave();
    }
    return map;
  }

  private JsBoxed boxed(JsonNode payload) {
    Object value = read(payload);
    if (value instanceof Boolean
        || value instanceof Integer
        || value instanceof Double
        || value instanceof BigInteger
        || value instanceof String) {
      return new JsBoxed(value);
    }
    throw at.invalid(payload, "a boolean, number, bigint or string");
  }

  private JsError error(JsonNode payload) {
    TagPayloads.requireRecord(payload, at, List.of("name", "message", "stack", "cause"));
    JsError error = new JsError(kind(payload.path("name")));
    error.withMessage(text(payload, "message")).withStack(text(payload, "stack"));
    if (payload.has("cause")) {
      at.enter("cause");
      error.withCause(read(payload.path("cause")));
      at.leave();
    }
    return error;
  }

  private JsError.Kind kind(JsonNode name) {
    for (JsError.Kind kind : JsError.Kind.values()) {
      if (kind.jsName().equals(name.textValue())) {
        return kind;
      }
    }
    at.enter("name");
    throw at.invalid(
        name, "Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError or URIError");
  }

  private @Nullable String text(JsonNode record, String name) {
    if (!record.has(name)) {
      return null;
    }
    at.enter(name);
    String text = StringJson.read(record.path(name), at);
    at.leave();
    return text;
  }

  private KvU64 u64(JsonNode payload, boolean whole) {
    BigInteger number = NumberJson.bigint(payload, at);
    if (!whole || number.signum() < 0 || number.bitLength() > Long.SIZE) {
      throw at.invalid(payload, whole ? "0..2^64-1" : "no $u64 within a value; a $bigint");
    }
    return new KvU64(number.longValue());
  }

  private KvValue v8(JsonNode payload, boolean whole) {
    if (!whole) {
      throw at.invalid(payload, "no $v8 within a value");
    }
    return new KvValue(KvValue.Encoding.V8, TagPayloads.base64(payload, at));
  }
}
