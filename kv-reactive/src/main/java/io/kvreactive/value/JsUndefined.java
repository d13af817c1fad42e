package io.kvreactive.value;

import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;

/** JavaScript's {@code undefined}. JavaScript's {@code null} is Java's {@code null}. */
public enum JsUndefined {
  /** The only instance. */
  UNDEFINED;

  @JsonValue
  private @Nullable Object json() {
    return null; // as JSON.stringify does in arrays
  }

  @Override
  public String toString() {
    return "undefined";
  }
}
