package io.kvreactive.index.internal.sql;

import io.kvreactive.index.internal.sql.ast.Expr;
import io.kvreactive.index.internal.sql.ast.Query;
import io.kvreactive.index.internal.sql.ast.Query.Source;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The expressions right inside of an expression or a query, in the order of the text. */
public final class Parts {
  private Parts() {}

  /** Those of a subquery are parts of what the subquery stands in. */
  public static List<Expr> of(Expr expr) {
    if (expr instanceof Expr.Member member) {
      return List.of(member.target());
    } else if (expr instanceof Expr.Element element) {
      return List.of(element.target(), element.index());
    } else if (expr instanceof Expr.Unary unary) {
      return List.of(unary.operand());
    } else if (expr instanceof Expr.Binary binary) {
      return List.of(binary.left(), binary.right());
    } else if (expr instanceof Expr.Between between) {
      return List.of(between.operand(), between.low(), between.high());
    } else if (expr instanceof Expr.In in) {
      List<Expr> parts = new ArrayList<>(in.list().size() + 1);
      parts.add(in.operand());
      parts.addAll(in.list());
      return parts;
    } else if (expr instanceof Expr.Like like) {
      return List.of(like.operand(), like.pattern());
    } else if (expr instanceof Expr.Conditional choice) {
      return List.of(choice.condition(), choice.yes(), choice.no());
    } else if (expr instanceof Expr.Call call) {
      return call.arguments();
    } else if (expr instanceof Expr.ArrayLiteral array) {
      return array.elements();
    } else if (expr instanceof Expr.ObjectLiteral object) {
      return object.members().stream().map(Expr.Pair::value).toList();
    } else {
      Query query = subquery(expr);
      return query == null ? List.of() : of(query);
    }
  }

  public static List<Expr> of(Query query) {
    List<Expr> parts = new ArrayList<>();
    query.select().items().forEach(item -> parts.add(item.expr()));
    for (Source source : query.from()) {
      if (source instanceof Source.Subquery subquery) {
        parts.addAll(of(subquery.query()));
      }
    }
    if (query.where() != null) {
      parts.add(query.where());
    }
    parts.addAll(query.groupBy());
    query.orderBy().forEach(item -> parts.add(item.expr()));
    return parts;
  }

  /** The query of an expression that has one. */
  public static @Nullable Query subquery(Expr expr) {
    if (expr instanceof Expr.Scalar scalar) {
      return scalar.query();
    } else if (expr instanceof Expr.Exists exists) {
      return exists.query();
    } else if (expr instanceof Expr.ArrayOf array) {
      return array.query();
    } else if (expr instanceof Expr.Rows rows) {
      return rows.query();
    }
    return null;
  }
}
