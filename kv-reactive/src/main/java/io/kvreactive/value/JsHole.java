package io.kvreactive.value;

/**
 * An array slot that has no value at all, as between the commas of {@code [1, , 3]}. It may stand
 * in a list only.
 */
public enum JsHole {
  /** The one value. */
  HOLE;

  @Override
  public String toString() {
    return "<hole>";
  }
}
