package io.kvreactive.index.internal.sql;

import io.kvreactive.index.internal.functions.FunctionRegistry;
import io.kvreactive.index.internal.functions.VectorDistance;
import io.kvreactive.index.internal.sql.ast.Expr;
import io.kvreactive.index.internal.sql.ast.Query;
import io.kvreactive.index.spi.ScalarFunction;
import java.util.List;

/**
 * ORDER BY a function, such as VectorDistance or ST_DISTANCE: only rows for which it has a value.
 * VectorDistance takes no direction, because it is always the closest rows that come first.
 */
public final class ScoreOrderRules {
  private ScoreOrderRules() {}

  /** Returns whether a query is sorted by a score. */
  public static boolean isIn(Query query) {
    List<Query.OrderItem> items = query.orderBy();
    return items.size() == 1 && isScore(items.get(0).expr());
  }

  /** Returns whether an expression is a call of a function that orders rows. */
  static boolean isScore(Expr expr) {
    if (!(expr instanceof Expr.Call call)) {
      return false;
    }
    ScalarFunction function = FunctionRegistry.find(call.name());
    return function != null && function.ordersRows();
  }

  /** Returns whether an expression is a call of VectorDistance. */
  public static boolean isVectorDistance(Expr expr) {
    return expr instanceof Expr.Call call && call.name().equals(VectorDistance.NAME);
  }
}
