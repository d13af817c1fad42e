package io.kvreactive.documents.internal.plan;

import io.kvreactive.documents.internal.sql.ast.Expr;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A read of MIN and MAX from the ends of an index, instead of all its entries.
 *
 * @param first true if the first values are read
 * @param last true if the last values are read
 */
public record MinMaxScan(boolean first, boolean last) {
  /** Returns the scan for aggregates, or null if an aggregate needs all values. */
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
