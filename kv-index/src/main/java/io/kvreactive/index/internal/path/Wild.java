package io.kvreactive.index.internal.path;

/** The step from an array to its elements, whichever. */
public enum Wild implements Step {
  ELEMENTS;

  @Override
  public String text() {
    return "[]";
  }
}
