package io.kvreactive.documents.internal.sql;

import java.util.List;

/**
 * The path in an item to which an expression refers.
 *
 * @param alias the source with which the expression starts. Two expressions with equal steps refer
 *     to the same element only if the sources are equal too
 * @param steps the steps from the item: a label ({@code String}), an ordinal ({@code Integer}), or
 *     {@link #EACH}
 */
public record DocumentPath(String alias, List<Object> steps) {
  /** The step from an array to the current element of the source. */
  public static final Object EACH =
      new Object() {
        @Override
        public String toString() {
          return "[]";
        }
      };

  public DocumentPath {
    steps = List.copyOf(steps);
  }
}
