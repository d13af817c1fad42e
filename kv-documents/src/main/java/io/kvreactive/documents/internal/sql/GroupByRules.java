package io.kvreactive.documents.internal.sql;

import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Query.SelectItem;
import io.kvreactive.documents.internal.sql.ast.Query.SelectKind;
import java.util.List;

/**
 * The rules for SELECT with GROUP BY: only grouping expressions, aggregates, constants and
 * expressions of these are allowed.
 */
final class GroupByRules {
  private final List<Expr> groupBy;
  private final AliasScope scope;

  private GroupByRules(List<Expr> groupBy, AliasScope scope) {
    this.groupBy = groupBy;
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
    if (ChildExpressions.subquery(expr) != null) {
      // beside the values of the group, the subquery would need one row, and a group has many
      for (Expr.Identifier name : FreeVariables.of(GroupKeyReferences.in(expr, groupBy))) {
        refuseOwn(name, name);
      }
    } else if (expr instanceof Expr.Identifier identifier) {
      refuseOwn(identifier, identifier);
    } else if (PathResolver.isPath(expr)) {
      Expr base = expr;
      while (!groupBy.contains(base)) {
        if (base instanceof Expr.Identifier identifier) {
          refuseOwn(identifier, expr);
          return;
        }
        base = ChildExpressions.of(base).get(0);
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
