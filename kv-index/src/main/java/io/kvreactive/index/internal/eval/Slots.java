package io.kvreactive.index.internal.eval;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where in a row the value of an alias is. */
final class Slots {
  private final Map<String, Integer> byAlias = new HashMap<>();
  private final @Nullable Slots outer;

  /** Of queries around all others: the only slot is the item. */
  static final Slots ITEM = new Slots(null);

  Slots(@Nullable Slots outer) {
    this.outer = outer;
  }

  void add(String alias, int slot) {
    byAlias.put(alias, slot);
  }

  @Nullable Integer own(String alias) {
    return byAlias.get(alias);
  }

  /** Null when there is no such alias. */
  @Nullable Evaluator find(String alias) {
    int levels = 0;
    for (Slots slots = this; slots != null; slots = slots.outer) {
      Integer slot = slots.byAlias.get(alias);
      if (slot != null) {
        return slot(levels, slot);
      }
      levels++;
    }
    return null;
  }

  /** The item. */
  Evaluator item() {
    int levels = 0;
    for (Slots slots = this; slots.outer != null; slots = slots.outer) {
      levels++;
    }
    return slot(levels, 0);
  }

  private static Evaluator slot(int levels, int slot) {
    return switch (levels) {
      case 0 -> row -> row.value(slot);
      case 1 -> row -> row.outer().value(slot);
      default -> row -> row.outer(levels).value(slot);
    };
  }
}
