package io.kvreactive.documents.internal.sql;

import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Query.Source;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The aliases that a bound expression or subquery uses but does not define. */
public final class FreeVariables {
  private final List<Expr.Identifier> names = new ArrayList<>();

  private FreeVariables() {}

  public static List<Expr.Identifier> of(Expr expr) {
    FreeVariables free = new FreeVariables();
    free.collect(expr, new AliasScope(null));
    return free.names;
  }

  private void collect(Query query, @Nullable AliasScope outer) {
    AliasScope scope = new AliasScope(outer);
    for (Source source : query.from()) {
      if (source instanceof Source.Path path) {
        use(new Expr.Identifier(path.root(), path.span()), scope);
      } else if (source instanceof Source.Subquery subquery) {
        collect(subquery.query(), scope);
      }
      if (source.alias() != null) {
        scope.add(source.alias());
      }
    }
    query.select().items().forEach(item -> collect(item.expr(), scope));
    if (query.where() != null) {
      collect(query.where(), scope);
    }
    query.groupBy().forEach(expr -> collect(expr, scope));
    query.orderBy().forEach(item -> collect(item.expr(), scope));
  }

  private void collect(Expr expr, AliasScope scope) {
    Query subquery = ChildExpressions.subquery(expr);
    if (subquery != null) {
      collect(subquery, scope);
    } else if (expr instanceof Expr.Identifier identifier) {
      use(identifier, scope);
    } else {
      ChildExpressions.of(expr).forEach(part -> collect(part, scope));
    }
  }

  private void use(Expr.Identifier identifier, AliasScope scope) {
    if (!scope.has(identifier.name())) {
      names.add(identifier);
    }
  }
}
