package io.kvreactive.index.internal.plan;

import io.kvreactive.index.internal.sql.ast.Expr;
import io.kvreactive.index.internal.sql.ast.Query;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Finds the aggregates of a query. */
final class QueryAggregates {
  private static final Set<String> NAMES = Set.of("COUNT", "SUM", "AVG", "MIN", "MAX");

  private QueryAggregates() {}

  static boolean isAggregate(Expr expr) {
    return expr instanceof Expr.Call call && NAMES.contains(call.name());
  }

  static boolean isAggregated(Query query) {
    return !of(query).isEmpty();
  }

  /** Returns the aggregates of the select list, without those of subqueries. */
  static List<Expr.Call> of(Query query) {
    List<Expr.Call> found = new ArrayList<>();
    query.select().items().forEach(item -> collect(item.expr(), found));
    return found;
  }

  private static void collect(Expr expr, List<Expr.Call> found) {
    if (expr instanceof Expr.Call call && isAggregate(call)) {
      found.add(call);
      return;
    }
    ExpressionParts.of(expr).forEach(part -> collect(part, found));
  }
}
