package io.kvreactive.documents.internal.sql;

import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import java.util.Set;

/** Recognizes aggregates: calls that combine the values of all rows into one value. */
public final class AggregateCalls {
  private static final Set<String> NAMES =
      Set.of("COUNT", "COUNTIF", "SUM", "AVG", "MIN", "MAX", "MAKELIST", "MAKESET");

  private AggregateCalls() {}

  public static boolean isAggregate(Expr expr) {
    return expr instanceof Expr.Call call && NAMES.contains(call.name());
  }

  /** Returns true if the query combines rows, apart from aggregates of its subqueries. */
  public static boolean isAggregate(Query query) {
    return !query.groupBy().isEmpty()
        || query.select().items().stream().anyMatch(item -> contains(item.expr()));
  }

  static boolean contains(Expr expr) {
    return isAggregate(expr)
        || (ChildExpressions.subquery(expr) == null
            && ChildExpressions.of(expr).stream().anyMatch(AggregateCalls::contains));
  }
}
