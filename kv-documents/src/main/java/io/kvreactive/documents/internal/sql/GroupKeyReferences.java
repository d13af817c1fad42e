package io.kvreactive.documents.internal.sql;

import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Query.OrderItem;
import io.kvreactive.documents.internal.sql.ast.Query.Source;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the GROUP BY expressions in a subquery of SELECT by names of the group's values. A group
 * has these values and no rows, so that {@code ARRAY(SELECT VALUE x FROM x IN c.tags)} of a query
 * grouped by {@code c.tags} can be evaluated for a group.
 */
public final class GroupKeyReferences {
  private final Map<Expr, String> names = new HashMap<>();

  private GroupKeyReferences(List<Expr> groupBy) {
    for (int i = 0; i < groupBy.size(); i++) {
      names.put(groupBy.get(i), name(i));
    }
  }

  /** Returns the name of a group's value, which is not a valid identifier in a text. */
  public static String name(int key) {
    return "GROUP BY " + key;
  }

  /**
   * Returns a subquery expression with references to the values of a group.
   *
   * @param subquery the bound expression
   * @param groupBy the bound GROUP BY expressions of the query around it
   */
  public static Expr in(Expr subquery, List<Expr> groupBy) {
    return new GroupKeyReferences(groupBy).expr(subquery, new AliasScope(null));
  }

  /**
   * Replaces in an expression.
   *
   * @param inner the aliases of the subquery, which hide those of the query around it
   */
  private Expr expr(Expr expr, AliasScope inner) {
    String name = names.get(expr);
    if (name != null && FreeVariables.of(expr).stream().noneMatch(of -> inner.has(of.name()))) {
      return new Expr.Identifier(name, expr.span());
    }
    return expr instanceof Expr.Subquery e
        ? new Expr.Subquery(e.op(), query(e.query(), inner), e.span())
        : ChildExpressions.map(expr, part -> expr(part, inner));
  }

  private @Nullable Expr optional(@Nullable Expr expr, AliasScope inner) {
    return expr == null ? null : expr(expr, inner);
  }

  private Query query(Query query, AliasScope outer) {
    AliasScope scope = new AliasScope(outer);
    List<Source> from = new ArrayList<>();
    for (Source source : query.from()) {
      from.add(source(source, scope));
      if (source.alias() != null) {
        scope.add(source.alias());
      }
    }
    List<OrderItem> orderBy = new ArrayList<>();
    for (OrderItem item : query.orderBy()) {
      orderBy.add(new OrderItem(expr(item.expr(), scope), item.descending(), item.span()));
    }
    return new Query(
        query.select().map(expr -> expr(expr, scope)),
        from,
        optional(query.where(), scope),
        query.groupBy().stream().map(expr -> expr(expr, scope)).toList(),
        orderBy,
        query.offset(),
        query.limit(),
        query.span());
  }

  private Source source(Source source, AliasScope inner) {
    if (source instanceof Source.Subquery subquery) {
      return new Source.Subquery(
          query(subquery.query(), inner), subquery.alias(), subquery.each(), subquery.span());
    }
    Source.Path path = (Source.Path) source;
    Expr base = new Expr.Identifier(path.root(), path.span());
    for (int steps = 0; !inner.has(path.root()); steps++) {
      String name = names.get(base);
      if (name != null) {
        List<Object> rest = path.steps().subList(steps, path.steps().size());
        return new Source.Path(name, rest, path.alias(), path.each(), path.span());
      } else if (steps == path.steps().size()) {
        break;
      }
      base = PathResolver.step(base, path.steps().get(steps));
    }
    return path;
  }
}
