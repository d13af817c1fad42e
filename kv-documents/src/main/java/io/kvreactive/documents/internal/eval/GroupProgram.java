package io.kvreactive.documents.internal.eval;

import io.kvreactive.documents.internal.sql.AggregateCalls;
import io.kvreactive.documents.internal.sql.ChildExpressions;
import io.kvreactive.documents.internal.sql.GroupKeyReferences;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The compiled form of an aggregate query: the group keys, the aggregates, and the projection of
 * both.
 */
final class GroupProgram {
  private final List<Evaluator> keys;
  private final List<String> aggregates = new ArrayList<>();
  private final List<Evaluator> arguments = new ArrayList<>();
  private final Evaluator projection;

  /**
   * Compiles a query.
   *
   * @param rows the slots of the query's own sources
   * @param outer the slots of the outer queries
   */
  GroupProgram(Query query, RowSlots rows, RowSlots outer, ConstantFolding folding) {
    ExprCompiler ofRows = new ExprCompiler(rows, folding);
    keys = ofRows.compile(query.groupBy());
    Map<Expr, Integer> known = new HashMap<>();
    for (int i = 0; i < query.groupBy().size(); i++) {
      known.put(query.groupBy().get(i), i);
    }
    query.select().items().forEach(item -> collect(item.expr(), known, ofRows));
    RowSlots group = new RowSlots(outer);
    for (int i = 0; i < keys.size(); i++) {
      group.add(GroupKeyReferences.name(i), i);
    }
    projection =
        RowProjection.of(
            query.select().map(expr -> ofGroup(expr, query)),
            new ExprCompiler(group, known, folding));
  }

  private static Expr ofGroup(Expr expr, Query query) {
    if (query.groupBy().contains(expr) || AggregateCalls.isAggregate(expr)) {
      return expr;
    }
    return ChildExpressions.subquery(expr) == null
        ? ChildExpressions.map(expr, part -> ofGroup(part, query))
        : GroupKeyReferences.in(expr, query.groupBy());
  }

  private void collect(Expr expr, Map<Expr, Integer> known, ExprCompiler ofRows) {
    if (known.containsKey(expr) || ChildExpressions.subquery(expr) != null) {
      return;
    } else if (expr instanceof Expr.Call call && AggregateCalls.isAggregate(call)) {
      known.put(call, keys.size() + aggregates.size());
      aggregates.add(call.name());
      arguments.add(ofRows.compile(call.arguments().get(0)));
    } else {
      ChildExpressions.of(expr).forEach(part -> collect(part, known, ofRows));
    }
  }

  List<Evaluator> keys() {
    return keys;
  }

  List<String> aggregates() {
    return aggregates;
  }

  List<Evaluator> arguments() {
    return arguments;
  }

  Evaluator projection() {
    return projection;
  }
}
