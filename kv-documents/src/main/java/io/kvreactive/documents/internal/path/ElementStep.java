package io.kvreactive.documents.internal.path;

/** The step to one element of an array, counted from 0. Only tuple paths have such steps. */
public record ElementStep(int index) implements Step {
  @Override
  public String text() {
    return "[" + index + "]";
  }
}
