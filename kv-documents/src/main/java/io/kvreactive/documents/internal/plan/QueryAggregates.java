package io.kvreactive.documents.internal.plan;

import io.kvreactive.documents.internal.sql.AggregateCalls;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import java.util.ArrayList;
import java.util.List;

/** Finds the aggregates of a query. */
final class QueryAggregates {
  private QueryAggregates() {}

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
    if (expr instanceof Expr.Call call && AggregateCalls.isAggregate(call)) {
      found.add(call);
      return;
    }
    ExpressionParts.of(expr).forEach(part -> collect(part, found));
  }
}
