package io.kvreactive.index.internal.path;

/** The step from an array to its elements, whichever. */
public enum WildcardStep implements Step {
  ELEMENTS;

  @Override
  public String text() {
    return "[]";
  }
}
