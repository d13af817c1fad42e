package io.kvreactive.index.internal.plan;

import io.kvreactive.index.internal.path.IndexPath;
import io.kvreactive.index.internal.sql.ast.Query;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** DISTINCT of what stands at one place of items, such as {@code SELECT DISTINCT VALUE c.city}. */
final class DistinctPlace {
  private DistinctPlace() {}

  /** The place, which is all that the query looks at; null when it is no such query. */
  static @Nullable IndexPath of(Query query, Scope scope) {
    Query.Select select = query.select();
    if (!select.distinct()
        || select.items().size() != 1
        || !query.groupBy().isEmpty()
        || Aggregates.isAggregated(query)) {
      return null;
    }
    Place place = scope.place(select.items().get(0).expr());
    Set<IndexPath> looked = Coverage.of(query, scope);
    return place != null && looked != null && looked.equals(Set.of(place.exact()))
        ? place.exact()
        : null;
  }
}
