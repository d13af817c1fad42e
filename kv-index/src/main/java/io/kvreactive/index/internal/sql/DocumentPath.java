package io.kvreactive.index.internal.sql;

import java.util.List;

/**
 * The place in an item that an expression stands for.
 *
 * @param alias the source that the expression starts with: two expressions with the same steps are
 *     of the same element only when this is the same too
 * @param steps from the item on: a label ({@code String}), an ordinal ({@code Integer}), or {@link
 *     #EACH}
 */
public record DocumentPath(String alias, List<Object> steps) {
  /** The step from an array to whichever element the source is at. */
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
