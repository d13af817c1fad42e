package io.kvreactive.value;

import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;

/**
 * An array slot without a value, as between the commas of {@code [1, , 3]}. Allowed in lists only.
 */
public enum JsHole {
  /** The only instance. */
  HOLE;

  @JsonValue
  private @Nullable Object json() {
    return null; // as JSON.stringify does in arrays
  }

  @Override
  public String toString() {
    return "<hole>";
  }
}
