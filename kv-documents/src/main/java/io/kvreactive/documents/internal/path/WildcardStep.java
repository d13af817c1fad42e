package io.kvreactive.documents.internal.path;

/** The step from an array to any of its elements. */
public enum WildcardStep implements Step {
  ELEMENTS;

  @Override
  public String text() {
    return "[]";
  }
}
