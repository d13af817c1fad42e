package io.kvreactive.documents.internal.plan;

import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.sql.AggregateCalls;
import io.kvreactive.documents.internal.sql.ChildExpressions;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes queries whose rows are the different values of some fields of items, such as {@code
 * SELECT DISTINCT VALUE c.city} or a GROUP BY without aggregates.
 */
final class DistinctFields {
  private DistinctFields() {}

  /**
   * Returns the paths of the fields, which are all that the query reads; null for other queries.
   */
  static @Nullable Set<IndexPath> of(Query query, FieldScope scope) {
    Query.Select select = query.select();
    boolean isGrouped = !query.groupBy().isEmpty();
    if (select.distinct() == isGrouped
        || select.items().isEmpty()
        || !AggregateCalls.of(query).isEmpty()
        || query.where() != null && varies(query.where())) {
      return null;
    }
    List<Expr> exprs =
        isGrouped ? query.groupBy() : select.items().stream().map(Query.SelectItem::expr).toList();
    Set<IndexPath> paths = new LinkedHashSet<>();
    for (Expr expr : exprs) {
      FieldRef field = scope.field(expr);
      if (field == null) {
        return null;
      }
      paths.add(field.exact());
    }
    for (Query.SelectItem item : select.items()) {
      if (varies(item.expr())) {
        return null;
      }
    }
    return paths.equals(IndexCoverage.of(query, scope)) ? paths : null;
  }

  /** Returns true if some items with the same values may meet the condition and others not. */
  private static boolean varies(Expr condition) {
    return ChildExpressions.anyCall(condition, function -> !function.constantInQuery());
  }
}
