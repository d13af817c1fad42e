package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.json.KvJson;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the properties of a JSON object. Unknown properties are rejected. All methods throw
 * WebException BAD_REQUEST or KvException for invalid properties; messages contain the place of the
 * property.
 */
public final class JsonFields {
  private final JsonNode object;
  private final String place;

  private JsonFields(JsonNode object, String place) {
    this.object = object;
    this.place = place;
  }

  /**
   * Returns a reader of the properties of an object.
   *
   * @param place the place of the object in the body, for messages
   * @param known the names of all properties
   * @throws io.kvreactive.web.WebException BAD_REQUEST
   */
  public static JsonFields of(JsonNode json, String place, String... known) {
    List<String> names = List.of(known);
    if (!json.isObject()) {
      throw StrictJson.bad(
          "%s: %s (expected: an object with %s)"
              .formatted(place, StrictJson.excerpt(json.toString()), String.join(", ", names)));
    }
    json.fieldNames()
        .forEachRemaining(
            name -> {
              if (!names.contains(name)) {
                throw StrictJson.bad(
                    "%s: property \"%s\" (expected: one of %s)"
                        .formatted(place, StrictJson.excerpt(name), String.join(", ", names)));
              }
            });
    return new JsonFields(json, place);
  }

  public boolean has(String name) {
    return object.has(name);
  }

  private JsonNode required(String name) {
    JsonNode node = object.get(name);
    if (node == null) {
      throw StrictJson.bad(place + ": property " + name + " is missing");
    }
    return node;
  }

  private String at(String name) {
    return place + "." + name;
  }

  /** Returns a required property of any type. */
  public JsonNode json(String name) {
    return required(name);
  }

  /** Returns a required key. */
  public KvKey key(String name) {
    return read(at(name), required(name), KvJson::keyOf);
  }

  /** Returns a required key to be checked or deleted. The key may be malformed. */
  public KvKey storedKey(String name) {
    return read(at(name), required(name), KvJson::storedKeyOf);
  }

  /** Returns a key; null if it is missing. */
  public @Nullable KvKey keyIfAny(String name) {
    return has(name) ? key(name) : null;
  }

  /** Returns a bound of a range; null if it is missing. A bound may be any bytes. */
  @Nullable KvKey bound(String name) {
    return has(name) ? storedKey(name) : null;
  }

  /** Returns an array of keys; empty if it is missing. */
  public List<KvKey> keys(String name) {
    return keys(name, KvJson::keyOf);
  }

  /** Returns an array of keys to be read, which may be malformed; empty if it is missing. */
  List<KvKey> storedKeys(String name) {
    return keys(name, KvJson::storedKeyOf);
  }

  private List<KvKey> keys(String name, Function<JsonNode, KvKey> reader) {
    List<KvKey> keys = new ArrayList<>();
    int index = 0;
    for (JsonNode node : elements(name)) {
      keys.add(read(at(name) + "[" + index++ + "]", node, reader));
    }
    return keys;
  }

  /** Returns a required value. */
  public KvValue value(String name) {
    return read(at(name), required(name), KvJson::valueOf);
  }

  private static <T> T read(String place, JsonNode node, Function<JsonNode, T> reader) {
    try {
      return reader.apply(node);
    } catch (KvException e) {
      throw new KvException(e.code(), place + ": " + e.detail(), e);
    }
  }

  /** Returns an array; a missing node, without elements, if it is missing. */
  public JsonNode elements(String name) {
    JsonNode node = object.path(name);
    if (!node.isMissingNode() && !node.isArray()) {
      throw StrictJson.bad("%s: %s (expected: an array)".formatted(at(name), excerpt(node)));
    }
    return node;
  }

  /** Returns true if a property is present and null. */
  public boolean isNull(String name) {
    return object.path(name).isNull();
  }

  /** Returns a required string. */
  public String text(String name) {
    JsonNode node = required(name);
    if (!node.isTextual()) {
      throw StrictJson.bad("%s: %s (expected: a string)".formatted(at(name), excerpt(node)));
    }
    return node.textValue();
  }

  /** Returns a string, or {@code otherwise} if it is missing. */
  public String text(String name, String otherwise) {
    return has(name) ? text(name) : otherwise;
  }

  /** Returns a required versionstamp; null if the property is null. */
  public @Nullable Versionstamp versionstamp(String name) {
    JsonNode node = required(name);
    return node.isNull() ? null : read(at(name), node, ignored -> Versionstamp.parse(text(name)));
  }

  /** Returns a boolean; false if it is missing. */
  public boolean flag(String name) {
    JsonNode node = object.path(name);
    if (!node.isMissingNode() && !node.isBoolean()) {
      throw StrictJson.bad("%s: %s (expected: true or false)".formatted(at(name), excerpt(node)));
    }
    return node.booleanValue();
  }

  /**
   * Returns a whole number from {@code least} to {@code most}, or {@code otherwise} if it is
   * missing.
   */
  public long whole(String name, long otherwise, long least, long most) {
    JsonNode node = object.path(name);
    return node.isMissingNode() ? otherwise : whole(at(name), node, least, most);
  }

  /**
   * Returns an array of whole numbers from {@code least} to {@code most}; null if it is missing.
   */
  public @Nullable List<Long> wholes(String name, long least, long most) {
    if (!has(name)) {
      return null;
    }
    List<Long> numbers = new ArrayList<>();
    for (JsonNode node : elements(name)) {
      numbers.add(whole(at(name) + "[" + numbers.size() + "]", node, least, most));
    }
    return numbers;
  }

  private static long whole(String place, JsonNode node, long least, long most) {
    if (!node.isIntegralNumber()
        || !node.canConvertToLong()
        || node.longValue() < least
        || node.longValue() > most) {
      throw StrictJson.bad(
          "%s: %s (expected: a whole number, %d..%d)".formatted(place, excerpt(node), least, most));
    }
    return node.longValue();
  }

  private static String excerpt(JsonNode node) {
    return node.isContainerNode()
        ? node.getNodeType().toString().toLowerCase(java.util.Locale.ROOT)
        : StrictJson.excerpt(node.toString());
  }
}
