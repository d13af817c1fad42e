package io.kvreactive.documents.internal.sql;

import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import java.util.ArrayList;
import java.util.List;
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
    return !query.groupBy().isEmpty() || !of(query).isEmpty();
  }

  /** Returns the aggregates of the select list, without those of subqueries. */
  public static List<Expr.Call> of(Query query) {
    List<Expr.Call> found = new ArrayList<>();
    query.select().items().forEach(item -> collect(item.expr(), found));
    return found;
  }

  private static void collect(Expr expr, List<Expr.Call> found) {
    if (expr instanceof Expr.Call call && isAggregate(call)) {
      found.add(call);
    } else if (ChildExpressions.subquery(expr) == null) {
      ChildExpressions.of(expr).forEach(part -> collect(part, found));
    }
  }
}
