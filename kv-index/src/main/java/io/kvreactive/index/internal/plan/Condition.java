package io.kvreactive.index.internal.plan;

import java.util.List;

/**
 * What can be told about an item before it is read. An item for which this does not hold gives no
 * row; one for which it holds may give rows, or not.
 */
sealed interface Condition {
  /** Says nothing. */
  record Any() implements Condition {}

  /** Never holds. */
  record Never() implements Condition {}

  record Leaf(Predicate predicate) implements Condition {}

  record And(List<Condition> parts) implements Condition {}

  record Or(List<Condition> parts) implements Condition {}

  Condition ANY = new Any();
  Condition NEVER = new Never();
}
