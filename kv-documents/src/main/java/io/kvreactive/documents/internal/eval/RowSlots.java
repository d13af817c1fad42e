package io.kvreactive.documents.internal.eval;

import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.path.MemberStep;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query.Source;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The positions of the values of aliases in a row. */
final class RowSlots {
  private final Map<String, Integer> byAlias = new HashMap<>();
  private final Map<String, IndexPath> paths = new HashMap<>(); // by alias, of places in the item
  private final @Nullable RowSlots outer;

  /** The slots outside all queries: the only slot is the item. */
  static final RowSlots ITEM = new RowSlots(null);

  RowSlots(@Nullable RowSlots outer) {
    this.outer = outer;
  }

  void add(String alias, int slot) {
    byAlias.put(alias, slot);
  }

  /** Adds the alias of a source. If the source is a place in the item, its path is recorded too. */
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
    // a bound query refers to the item by a name that is not an alias
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

  /**
   * Returns the path in the item of an expression of labels only, or null for other expressions.
   */
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

  /** Returns the evaluator of an alias, or null if the alias does not exist. */
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

  /** Returns the evaluator of the item. */
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
