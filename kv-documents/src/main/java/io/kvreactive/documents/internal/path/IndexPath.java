package io.kvreactive.documents.internal.path;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.List;

/**
 * A path in items, as used by indexes: {@code /children/[]/age} is the age of every child. Two
 * paths are equal if their steps are equal.
 */
public record IndexPath(List<Step> steps) {
  /** Maximum number of steps of a path; items are not deeper. */
  public static final int MAX_STEPS = 128;

  /**
   * Maximum length of the text of a path, in characters. Range indexes exclude longer paths. This
   * bounds their memory and size per value, whatever names an item has.
   */
  public static final int MAX_TEXT = 1024;

  /** The path of the item itself. */
  public static final IndexPath ROOT = new IndexPath(List.of());

  public IndexPath {
    steps = List.copyOf(steps);
  }

  /** Returns a path of labels only. */
  public static IndexPath of(String... labels) {
    List<Step> steps = new ArrayList<>(labels.length);
    for (String label : labels) {
      steps.add(new MemberStep(label));
    }
    return new IndexPath(steps);
  }

  /** Returns this path with one more step. */
  public IndexPath then(Step step) {
    List<Step> longer = new ArrayList<>(steps.size() + 1);
    longer.addAll(steps);
    longer.add(step);
    return new IndexPath(longer);
  }

  /** Returns the value of a document at this path of labels and ordinals, or a missing node. */
  public JsonNode in(JsonNode document) {
    JsonNode value = document;
    for (Step step : steps) {
      value = follow(value, step);
    }
    return value;
  }

  /** Returns the value one step below another, or a missing node. */
  public static JsonNode follow(JsonNode value, Step step) {
    if (step instanceof MemberStep label) {
      return value.path(label.name());
    }
    return step instanceof ElementStep ordinal
        ? value.path(ordinal.index())
        : MissingNode.getInstance();
  }

  public int size() {
    return steps.size();
  }

  /**
   * Returns true if the path has a {@link WildcardStep#ELEMENTS} step, so that an item may have
   * many values at the path.
   */
  public boolean hasElements() {
    return steps.contains(WildcardStep.ELEMENTS);
  }

  /** Returns the canonical text, which is {@code /} for {@link #ROOT}. */
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
