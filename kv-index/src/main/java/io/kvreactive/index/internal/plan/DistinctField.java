package io.kvreactive.index.internal.plan;

import io.kvreactive.index.internal.functions.FunctionRegistry;
import io.kvreactive.index.internal.path.IndexPath;
import io.kvreactive.index.internal.sql.ast.Expr;
import io.kvreactive.index.internal.sql.ast.Query;
import io.kvreactive.index.spi.ScalarFunction;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Recognizes DISTINCT of one field of items, such as {@code SELECT DISTINCT VALUE c.city}. */
final class DistinctField {
  private DistinctField() {}

  /** Returns the path of the field, which is all that the query reads; null for other queries. */
  static @Nullable IndexPath of(Query query, FieldScope scope) {
    Query.Select select = query.select();
    if (!select.distinct()
        || select.items().size() != 1
        || !query.groupBy().isEmpty()
        || QueryAggregates.isAggregated(query)
        || query.where() != null && varies(query.where())) {
      return null;
    }
    FieldRef field = scope.field(select.items().get(0).expr());
    Set<IndexPath> looked = IndexCoverage.of(query, scope);
    return field != null && looked != null && looked.equals(Set.of(field.exact()))
        ? field.exact()
        : null;
  }

  /** Returns true if some items with the same value may meet the condition and others not. */
  private static boolean varies(Expr condition) {
    if (condition instanceof Expr.Call call) {
      ScalarFunction function = FunctionRegistry.find(call.name());
      if (function != null && !function.constantInQuery()) {
        return true;
      }
    }
    return ExpressionParts.of(condition).stream().anyMatch(DistinctField::varies);
  }
}
