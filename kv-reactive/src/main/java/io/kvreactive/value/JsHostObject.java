package io.kvreactive.value;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A host object of Deno as Deno stores it: a {@code DOMException}, a {@code CryptoKey}, a {@code
 * Blob}. The properties are the complete state of the first two. A Blob refers to memory of the
 * process that stored it, which no other process can read.
 */
public final class JsHostObject {
  private final Map<String, @Nullable Object> properties = new LinkedHashMap<>();

  /** Creates a host object without properties; Deno requires at least {@code type}. */
  public JsHostObject() {}

  /** Creates a host object of a type that Deno knows, like {@code "DOMException"}. */
  public JsHostObject(String type) {
    properties.put("type", type);
  }

  /** Returns the {@code type} property, or null if it is missing or not a string. */
  public @Nullable String type() {
    return properties.get("type") instanceof String type ? type : null;
  }

  /** Returns all properties in order. The map is modifiable. */
  public Map<String, @Nullable Object> properties() {
    return properties;
  }

  @Override
  public String toString() {
    return "JsHostObject[" + type() + "]";
  }
}
