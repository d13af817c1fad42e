package io.kvreactive.documents.internal.sql;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import io.kvreactive.documents.internal.functions.FunctionRegistry;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Query.Source;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The direct child expressions of an expression or a query, in the order of the text. */
public final class ChildExpressions {
  private ChildExpressions() {}

  /**
   * Returns the children; those of a subquery count as children of the expression that contains it.
   */
  public static List<Expr> of(Expr expr) {
    Query query = subquery(expr);
    if (query != null) {
      return of(query);
    }
    List<Expr> parts = new ArrayList<>();
    var unused = // map alone lists the children of each form
        map(
            expr,
            part -> {
              parts.add(part);
              return part;
            });
    return parts;
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

  /** Returns the expression with its children mapped; a subquery is kept unchanged. */
  public static Expr map(Expr expr, UnaryOperator<Expr> change) {
    checkpoint();
    if (expr instanceof Expr.Member e) {
      return new Expr.Member(change.apply(e.target()), e.name(), e.span());
    } else if (expr instanceof Expr.Element e) {
      return new Expr.Element(change.apply(e.target()), change.apply(e.index()), e.span());
    } else if (expr instanceof Expr.Unary e) {
      return new Expr.Unary(e.op(), change.apply(e.operand()), e.span());
    } else if (expr instanceof Expr.Binary e) {
      return new Expr.Binary(e.op(), change.apply(e.left()), change.apply(e.right()), e.span());
    } else if (expr instanceof Expr.Between e) {
      return new Expr.Between(
          change.apply(e.operand()),
          change.apply(e.low()),
          change.apply(e.high()),
          e.negated(),
          e.span());
    } else if (expr instanceof Expr.In e) {
      return new Expr.In(change.apply(e.operand()), map(e.list(), change), e.negated(), e.span());
    } else if (expr instanceof Expr.Like e) {
      return new Expr.Like(
          change.apply(e.operand()), change.apply(e.pattern()), e.escape(), e.negated(), e.span());
    } else if (expr instanceof Expr.Conditional e) {
      return new Expr.Conditional(
          change.apply(e.condition()), change.apply(e.yes()), change.apply(e.no()), e.span());
    } else if (expr instanceof Expr.Call e) {
      return new Expr.Call(e.name(), map(e.arguments(), change), e.span());
    } else if (expr instanceof Expr.ArrayLiteral e) {
      return new Expr.ArrayLiteral(map(e.elements(), change), e.span());
    } else if (expr instanceof Expr.ObjectLiteral e) {
      List<Expr.Pair> members = new ArrayList<>(e.members().size());
      for (Expr.Pair pair : e.members()) {
        members.add(new Expr.Pair(pair.name(), change.apply(pair.value())));
      }
      return new Expr.ObjectLiteral(members, e.span());
    }
    return expr;
  }

  private static List<Expr> map(List<Expr> exprs, UnaryOperator<Expr> change) {
    List<Expr> changed = new ArrayList<>(exprs.size());
    for (Expr expr : exprs) {
      changed.add(change.apply(expr));
    }
    return changed;
  }

  /** Returns the query of a subquery expression, or null for other expressions. */
  public static @Nullable Query subquery(Expr expr) {
    return expr instanceof Expr.Subquery subquery ? subquery.query() : null;
  }

  /** Returns true if an expression, or a part of it or of its subqueries, meets a condition. */
  public static boolean anyMatch(Expr expr, Predicate<Expr> condition) {
    return condition.test(expr) || of(expr).stream().anyMatch(part -> anyMatch(part, condition));
  }

  /** Returns true if an expression or a part of it calls a function that meets a condition. */
  public static boolean anyCall(Expr expr, Predicate<ScalarFunction> condition) {
    return anyMatch(
        expr,
        part -> {
          ScalarFunction function =
              part instanceof Expr.Call call ? FunctionRegistry.find(call.name()) : null;
          return function != null && condition.test(function);
        });
  }
}
