package io.kvreactive.documents.internal.plan;

import io.kvreactive.documents.internal.sql.ast.Expr;
import java.util.ArrayList;
import java.util.List;

/** Static methods that inspect the parts of expressions. */
final class ExpressionParts {
  private ExpressionParts() {}

  /** Returns the direct children of an expression; none for a subquery. */
  static List<Expr> of(Expr expr) {
    if (expr instanceof Expr.Member member) {
      return List.of(member.target());
    }
    if (expr instanceof Expr.Element element) {
      return List.of(element.target(), element.index());
    }
    if (expr instanceof Expr.Unary unary) {
      return List.of(unary.operand());
    }
    if (expr instanceof Expr.Binary binary) {
      return List.of(binary.left(), binary.right());
    }
    if (expr instanceof Expr.Between between) {
      return List.of(between.operand(), between.low(), between.high());
    }
    if (expr instanceof Expr.In in) {
      List<Expr> all = new ArrayList<>(in.list());
      all.add(in.operand());
      return all;
    }
    if (expr instanceof Expr.Like like) {
      return List.of(like.operand(), like.pattern());
    }
    if (expr instanceof Expr.Conditional conditional) {
      return List.of(conditional.condition(), conditional.yes(), conditional.no());
    }
    if (expr instanceof Expr.Call call) {
      return call.arguments();
    }
    if (expr instanceof Expr.ArrayLiteral array) {
      return array.elements();
    }
    return expr instanceof Expr.ObjectLiteral object
        ? object.members().stream().map(Expr.Pair::value).toList()
        : List.of();
  }

  /** Returns true if an expression contains a subquery. */
  static boolean hasSubquery(Expr expr) {
    return expr instanceof Expr.Scalar
        || expr instanceof Expr.Exists
        || expr instanceof Expr.ArrayOf
        || expr instanceof Expr.Rows
        || of(expr).stream().anyMatch(ExpressionParts::hasSubquery);
  }
}
