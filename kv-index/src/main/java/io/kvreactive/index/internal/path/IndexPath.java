package io.kvreactive.index.internal.path;

import java.util.ArrayList;
import java.util.List;

/**
 * A place in items, as indexes name it: {@code /children/[]/age} is the age of every child. Two
 * paths are equal when their steps are.
 */
public record IndexPath(List<Step> steps) {
  /** Steps of a path; items are not deeper. */
  public static final int MAX_STEPS = 128;

  /**
   * Characters of the text of a path. Longer ones are never in a range index, which so needs no
   * more memory and room per value than this, whatever names an item has.
   */
  public static final int MAX_TEXT = 1024;

  /** The item itself. */
  public static final IndexPath ROOT = new IndexPath(List.of());

  public IndexPath {
    steps = List.copyOf(steps);
  }

  /** A path of labels only. */
  public static IndexPath of(String... labels) {
    List<Step> steps = new ArrayList<>(labels.length);
    for (String label : labels) {
      steps.add(new MemberStep(label));
    }
    return new IndexPath(steps);
  }

  /** This path and one step more. */
  public IndexPath then(Step step) {
    List<Step> longer = new ArrayList<>(steps.size() + 1);
    longer.addAll(steps);
    longer.add(step);
    return new IndexPath(longer);
  }

  public int size() {
    return steps.size();
  }

  /** Whether there is a {@link WildcardStep#ELEMENTS} step: an item may have many values there. */
  public boolean hasElements() {
    return steps.contains(WildcardStep.ELEMENTS);
  }

  /** The canonical text; that of {@link #ROOT} is {@code /}. */
  public String text() {
    if (steps.isEmpty()) {
      return "/";
    }
    StringBuilder out = new StringBuilder();
    for (Step step : steps) {
      out.append('/').append(step.text());
    }
    return out.toString();
  }

  @Override
  public String toString() {
    return text();
  }
}
