package io.kvreactive.index.internal.plan;

import io.kvreactive.index.internal.path.ElementStep;
import io.kvreactive.index.internal.path.IndexPath;
import io.kvreactive.index.internal.path.Step;
import io.kvreactive.index.internal.path.WildcardStep;

/**
 * Where a value of an expression comes from.
 *
 * @param exact the path with fixed places in arrays as such
 * @param path as indexes name it: with all of them as {@code []}
 * @param source which alias it is reached by: conditions on two aliases of one array may be met by
 *     different elements, those on one alias are met by the same
 */
public record FieldRef(IndexPath exact, IndexPath path, int source) {
  static final FieldRef ROOT = new FieldRef(IndexPath.ROOT, IndexPath.ROOT, 0);

  FieldRef then(Step step) {
    return new FieldRef(
        exact.then(step),
        path.then(step instanceof ElementStep ? WildcardStep.ELEMENTS : step),
        source);
  }

  /** The elements of the array here, by an alias of their own. */
  FieldRef elements(int alias) {
    return new FieldRef(exact.then(WildcardStep.ELEMENTS), path.then(WildcardStep.ELEMENTS), alias);
  }

  /** Whether an index entry at the path is the value, and the only one of its item. */
  boolean isSingle() {
    return !path.hasElements();
  }

  /** What follows the elements that the alias stands for. */
  IndexPath insideElement() {
    int last = exact.steps().lastIndexOf(WildcardStep.ELEMENTS);
    return new IndexPath(exact.steps().subList(last + 1, exact.size()));
  }

  /** The array that the alias goes through; only when {@link #source} is one of elements. */
  IndexPath array() {
    int last = exact.steps().lastIndexOf(WildcardStep.ELEMENTS);
    return new IndexPath(exact.steps().subList(0, Math.max(0, last)));
  }
}
