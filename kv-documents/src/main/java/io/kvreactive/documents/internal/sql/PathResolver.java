package io.kvreactive.documents.internal.sql;

import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Expr.Constant;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Query.Source;
import io.kvreactive.documents.internal.value.Values;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Resolves expressions of a bound query to paths in the item. Members, constant ordinals and
 * sources with a path have a path; functions, computed names and subqueries have none.
 */
public final class PathResolver {
  /** The steps from the item, by alias; empty for a subquery, which has no path. */
  private final Map<String, Optional<List<Object>>> sources;

  private PathResolver(Map<String, Optional<List<Object>>> sources) {
    this.sources = sources;
  }

  /** Returns the resolver for the expressions of a query. */
  public static PathResolver of(Query bound) {
    return new PathResolver(Map.of()).inside(bound);
  }

  /** Returns the resolver for the expressions of a subquery of this query. */
  public PathResolver inside(Query subquery) {
    Map<String, Optional<List<Object>>> all = new HashMap<>(sources);
    for (Source source : subquery.from()) {
      String alias = source.alias();
      if (source instanceof Source.Path path) {
        Optional<List<Object>> base = all.getOrDefault(path.root(), Optional.of(List.of()));
        all.put(path.alias(), base.map(steps -> extended(steps, path)));
      } else if (alias != null) {
        all.put(alias, Optional.empty());
      }
    }
    return new PathResolver(all);
  }

  private static List<Object> extended(List<Object> base, Source.Path path) {
    List<Object> steps = new ArrayList<>(base);
    steps.addAll(path.steps());
    if (path.each()) {
      steps.add(DocumentPath.EACH);
    }
    return steps;
  }

  /** Returns the path of an expression, or null if it has none. */
  public @Nullable DocumentPath path(Expr expr) {
    List<Object> reversed = new ArrayList<>();
    Expr at = expr;
    while (!(at instanceof Expr.Identifier)) {
      Object step = step(at);
      if (step == null) {
        return null;
      }
      reversed.add(step);
      at = ChildExpressions.of(at).get(0);
    }
    String alias = ((Expr.Identifier) at).name();
    Optional<List<Object>> base = sources.getOrDefault(alias, Optional.empty());
    if (base.isEmpty()) {
      return null;
    }
    List<Object> steps = new ArrayList<>(base.get());
    for (int i = reversed.size() - 1; i >= 0; i--) {
      steps.add(reversed.get(i));
    }
    return new DocumentPath(alias, steps);
  }

  /** Returns true if an expression names any source, or a path in a source. */
  static boolean isPath(Expr expr) {
    Expr at = expr;
    while (!(at instanceof Expr.Identifier)) {
      if (step(at) == null) {
        return false;
      }
      at = ChildExpressions.of(at).get(0);
    }
    return true;
  }

  /** Returns the expression of a label ({@code String}) or ordinal ({@code Integer}) of a path. */
  static Expr step(Expr target, Object step) {
    return step instanceof String label
        ? new Expr.Member(target, label, target.span())
        : new Expr.Element(
            target,
            new Constant(Values.number((long) (Integer) step), target.span()),
            target.span());
  }

  private static @Nullable Object step(Expr expr) {
    if (expr instanceof Expr.Member member) {
      return member.name();
    }
    return expr instanceof Expr.Element element
            && element.index() instanceof Constant constant
            && constant.value().isIntegralNumber()
            && constant.value().canConvertToInt()
            && constant.value().intValue() >= 0
        ? (Object) constant.value().intValue()
        : null;
  }
}
