package io.kvreactive.index.internal.eval;

import io.kvreactive.index.internal.path.IndexPath;
import io.kvreactive.index.internal.path.MemberStep;
import io.kvreactive.index.internal.sql.ast.Expr;
import io.kvreactive.index.internal.sql.ast.Query.Source;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where in a row the value of an alias is. */
final class RowSlots {
  private final Map<String, Integer> byAlias = new HashMap<>();
  private final Map<String, IndexPath> paths = new HashMap<>(); // of aliases of places in the item
  private final @Nullable RowSlots outer;

  /** Of queries around all others: the only slot is the item. */
  static final RowSlots ITEM = new RowSlots(null);

  RowSlots(@Nullable RowSlots outer) {
    this.outer = outer;
  }

  void add(String alias, int slot) {
    byAlias.put(alias, slot);
  }

  /** Adds the alias of a source that is a place in the item, if it is one. */
  void add(Source source, String alias, int slot) {
    IndexPath path = source instanceof Source.Path of && !of.each() ? path(of) : null;
    add(alias, slot);
    if (path == null) {
      paths.remove(alias);
    } else {
      paths.put(alias, path);
    }
  }

  private @Nullable IndexPath path(Source.Path source) {
    // a bound query calls the item by a name that is no alias
    IndexPath path = find(source.root()) == null ? IndexPath.ROOT : path(source.root());
    for (Object step : source.steps()) {
      path = path != null && step instanceof String name ? path.then(new MemberStep(name)) : null;
    }
    return path;
  }

  private @Nullable IndexPath path(String alias) {
    for (RowSlots slots = this; slots != null; slots = slots.outer) {
      if (slots.byAlias.containsKey(alias)) {
        return slots.paths.get(alias);
      }
    }
    return null;
  }

  /** Returns the place in the item of an expression of labels only, or null for others. */
  @Nullable IndexPath path(Expr expr) {
    if (expr instanceof Expr.Identifier identifier) {
      return path(identifier.name());
    }
    IndexPath target = expr instanceof Expr.Member member ? path(member.target()) : null;
    return target == null ? null : target.then(new MemberStep(((Expr.Member) expr).name()));
  }

  @Nullable Integer own(String alias) {
    return byAlias.get(alias);
  }

  /** Null when there is no such alias. */
  @Nullable Evaluator find(String alias) {
    int levels = 0;
    for (RowSlots slots = this; slots != null; slots = slots.outer) {
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
    for (RowSlots slots = this; slots.outer != null; slots = slots.outer) {
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
