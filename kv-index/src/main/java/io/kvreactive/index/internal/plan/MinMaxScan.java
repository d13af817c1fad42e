package io.kvreactive.index.internal.plan;

import io.kvreactive.index.internal.sql.ast.Expr;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ends of an index that MIN and MAX are read at, instead of all its entries.
 *
 * @param first whether its first values are
 * @param last whether its last values are
 */
public record MinMaxScan(boolean first, boolean last) {
  /** Null when there is an aggregate that looks at all values. */
  static @Nullable MinMaxScan of(List<Expr.Call> aggregates) {
    boolean first = false;
    boolean last = false;
    for (Expr.Call aggregate : aggregates) {
      first |= aggregate.name().equals("MIN");
      last |= aggregate.name().equals("MAX");
      if (!aggregate.name().equals("MIN") && !aggregate.name().equals("MAX")) {
        return null;
      }
    }
    return aggregates.isEmpty() ? null : new MinMaxScan(first, last);
  }
}
