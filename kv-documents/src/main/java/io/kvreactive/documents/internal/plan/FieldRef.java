package io.kvreactive.documents.internal.plan;

import io.kvreactive.documents.internal.path.ElementStep;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.path.Step;
import io.kvreactive.documents.internal.path.WildcardStep;

/**
 * A reference to a field of the item, from which the value of an expression comes.
 *
 * @param exact the path with the constant ordinals of arrays
 * @param path the path in the form of indexes, with all ordinals as {@code []}
 * @param source the alias by which the field is reached. Conditions on two aliases of one array may
 *     be met by different elements, conditions on one alias by the same element only
 */
public record FieldRef(IndexPath exact, IndexPath path, int source) {
  static final FieldRef ROOT = new FieldRef(IndexPath.ROOT, IndexPath.ROOT, 0);

  FieldRef then(Step step) {
    return new FieldRef(
        exact.then(step),
        path.then(step instanceof ElementStep ? WildcardStep.ELEMENTS : step),
        source);
  }

  /** Returns a reference to the elements of this array, by an alias of their own. */
  FieldRef elements(int alias) {
    return new FieldRef(exact.then(WildcardStep.ELEMENTS), path.then(WildcardStep.ELEMENTS), alias);
  }

  /** Returns true if an index entry at the path is the value, and the only entry of its item. */
  boolean isSingle() {
    return !path.hasElements();
  }

  /** Returns the path inside of the element that the alias stands for. */
  IndexPath insideElement() {
    int last = exact.steps().lastIndexOf(WildcardStep.ELEMENTS);
    return new IndexPath(exact.steps().subList(last + 1, exact.size()));
  }

  /**
   * Returns the array that the alias iterates over; only if {@link #source} is an alias of
   * elements.
   */
  IndexPath array() {
    int last = exact.steps().lastIndexOf(WildcardStep.ELEMENTS);
    return new IndexPath(exact.steps().subList(0, Math.max(0, last)));
  }
}
