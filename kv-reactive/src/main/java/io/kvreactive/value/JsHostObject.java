package io.kvreactive.value;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An object of Deno's own, as it stores it: a {@code DOMException}, a {@code CryptoKey}, a {@code
 * Blob}. The properties say all about the first two. A Blob's name parts in the memory of the
 * process that stored it, which no other process can read.
 */
public final class JsHostObject {
  private final Map<String, @Nullable Object> properties = new LinkedHashMap<>();

  /** A host object without properties yet; Deno needs at least {@code type}. */
  public JsHostObject() {}

  /** A host object of a type that Deno knows, like {@code "DOMException"}. */
  public JsHostObject(String type) {
    properties.put("type", type);
  }

  /** Returns the {@code type} property, or null if it is missing or no string. */
  public @Nullable String type() {
    return properties.get("type") instanceof String type ? type : null;
  }

  /** Returns all properties in order; change it to change them. */
  public Map<String, @Nullable Object> properties() {
    return properties;
  }

  @Override
  public String toString() {
    return "JsHostObject[" + type() + "]";
  }
}
