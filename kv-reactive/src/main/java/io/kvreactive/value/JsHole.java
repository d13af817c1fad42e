package io.kvreactive.value;

/**
 * An array slot without a value, as between the commas of {@code [1, , 3]}. Allowed in lists only.
 */
public enum JsHole {
  /** The only instance. */
  HOLE;

  @Override
  public String toString() {
    return "<hole>";
  }
}
