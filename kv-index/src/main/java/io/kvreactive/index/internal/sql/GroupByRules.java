package io.kvreactive.index.internal.sql;

import io.kvreactive.index.internal.sql.ast.Expr;
import io.kvreactive.index.internal.sql.ast.Query;
import io.kvreactive.index.internal.sql.ast.Query.SelectItem;
import io.kvreactive.index.internal.sql.ast.Query.SelectKind;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The rules for SELECT with GROUP BY: only grouping expressions, aggregates, constants and
 * expressions of these are allowed.
 */
final class GroupByRules {
  private final Set<Expr> groupBy;
  private final AliasScope scope;

  private GroupByRules(List<Expr> groupBy, AliasScope scope) {
    this.groupBy = new HashSet<>(groupBy);
    this.scope = scope;
  }

  static void check(Query query, AliasScope scope) {
    if (query.select().kind() == SelectKind.STAR) {
      throw SqlErrors.meaning("'SELECT *' is not valid with GROUP BY.", query.span());
    }
    GroupByRules rules = new GroupByRules(query.groupBy(), scope);
    for (SelectItem item : query.select().items()) {
      rules.check(item.expr());
    }
  }

  private void check(Expr expr) {
    if (groupBy.contains(expr) || AggregateCalls.isAggregate(expr)) {
      return;
    }
    Query subquery = ChildExpressions.subquery(expr);
    if (subquery != null) {
      // the subquery would need one row, and a group has many
      for (Expr.Identifier name : FreeVariables.of(subquery)) {
        refuseOwn(name, name);
      }
    } else if (expr instanceof Expr.Identifier identifier) {
      refuseOwn(identifier, identifier);
    } else if (PathResolver.isPath(expr)) {
      Expr base = expr;
      while (!(base instanceof Expr.Identifier) && !groupBy.contains(base)) {
        base = ChildExpressions.of(base).get(0);
      }
      if (base instanceof Expr.Identifier identifier) {
        refuseOwn(identifier, expr);
      }
    } else {
      ChildExpressions.of(expr).forEach(this::check);
    }
  }

  private void refuseOwn(Expr.Identifier identifier, Expr what) {
    if (scope.hasOwn(identifier.name())) {
      throw SqlErrors.meaning(
          "'"
              + SqlErrors.shortened(SqlPrinter.print(what))
              + "' is neither in GROUP BY nor inside of an aggregate.",
          what.span());
    }
  }
}
