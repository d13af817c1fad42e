package io.kvreactive.value;

/** JavaScript's {@code undefined}. Its {@code null} is Java's {@code null}. */
public enum JsUndefined {
  /** The one value. */
  UNDEFINED;

  @Override
  public String toString() {
    return "undefined";
  }
}
