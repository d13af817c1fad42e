package io.kvreactive.documents.internal.sql;

import io.kvreactive.documents.internal.functions.FunctionRegistry;
import io.kvreactive.documents.internal.functions.VectorDistance;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.List;

/**
 * The rules for ORDER BY a function, such as VectorDistance or ST_DISTANCE: the result has only
 * rows for which the function is defined. VectorDistance takes no direction, because the closest
 * rows always come first.
 */
public final class ScoreOrderRules {
  private ScoreOrderRules() {}

  /** Returns true if a query is sorted by a score. */
  public static boolean isIn(Query query) {
    List<Query.OrderItem> items = query.orderBy();
    return items.size() == 1 && isScore(items.get(0).expr());
  }

  /** Returns true if an expression is a call of a function that orders rows. */
  static boolean isScore(Expr expr) {
    if (!(expr instanceof Expr.Call call)) {
      return false;
    }
    ScalarFunction function = FunctionRegistry.find(call.name());
    return function != null && function.ordersRows();
  }

  /** Returns true if an expression is a call of VectorDistance. */
  public static boolean isVectorDistance(Expr expr) {
    return expr instanceof Expr.Call call && call.name().equals(VectorDistance.NAME);
  }
}
