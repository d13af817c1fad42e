package io.kvreactive.documents.internal.plan;

import java.util.List;

/**
 * A necessary condition on an item, known before the item is read. An item that does not meet the
 * condition gives no row; any other item may give rows.
 */
sealed interface Condition {
  /** The condition that always holds. */
  record Any() implements Condition {}

  /** The condition that never holds. */
  record Never() implements Condition {}

  record Leaf(Predicate predicate) implements Condition {}

  record And(List<Condition> parts) implements Condition {}

  record Or(List<Condition> parts) implements Condition {}

  Condition ANY = new Any();
  Condition NEVER = new Never();
}
