package io.kvreactive.index.internal.plan;

import io.kvreactive.index.internal.functions.FunctionRegistry;
import io.kvreactive.index.internal.path.IndexPath;
import io.kvreactive.index.internal.sql.ast.Expr;
import io.kvreactive.index.internal.sql.ast.Query;
import io.kvreactive.index.spi.ScalarFunction;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** DISTINCT of what stands at one place of items, such as {@code SELECT DISTINCT VALUE c.city}. */
final class DistinctField {
  private DistinctField() {}

  /** The place, which is all that the query looks at; null when it is no such query. */
  static @Nullable IndexPath of(Query query, FieldScope scope) {
    Query.Select select = query.select();
    if (!select.distinct()
        || select.items().size() != 1
        || !query.groupBy().isEmpty()
        || QueryAggregates.isAggregated(query)
        || query.where() != null && varies(query.where())) {
      return null;
    }
    FieldRef place = scope.place(select.items().get(0).expr());
    Set<IndexPath> looked = IndexCoverage.of(query, scope);
    return place != null && looked != null && looked.equals(Set.of(place.exact()))
        ? place.exact()
        : null;
  }

  /** Whether of items with the same value some may meet the condition and others not. */
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
