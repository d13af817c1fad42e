package io.kvreactive.value;

/** JavaScript's {@code undefined}. JavaScript's {@code null} is Java's {@code null}. */
public enum JsUndefined {
  /** The only instance. */
  UNDEFINED;

  @Override
  public String toString() {
    return "undefined";
  }
}
