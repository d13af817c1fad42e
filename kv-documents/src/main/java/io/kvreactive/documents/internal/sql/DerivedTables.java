package io.kvreactive.documents.internal.sql;

import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Query.Source;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes derived tables: subqueries in FROM whose rows must be made before the outer query.
 * These subqueries combine, sort or count items, or read such a subquery. The rows of all others
 * are made item by item, together with the outer query.
 */
public final class DerivedTables {
  /** The member of the object that stands for an item in which a row of the subquery is stored. */
  public static final String ROW = "row";

  private DerivedTables() {}

  /**
   * Returns the subquery, or null if the rows of the query can be made item by item.
   *
   * @param query the query, bound or not
   */
  public static @Nullable Query of(Query query) {
    if (query.from().isEmpty() || !(query.from().get(0) instanceof Source.Subquery first)) {
      return null;
    }
    Query from = first.query();
    return from.from().isEmpty() || combines(from) || of(from) != null ? from : null;
  }

  private static boolean combines(Query query) {
    return query.select().distinct()
        || query.select().top() != null
        || query.offset() != null
        || !query.orderBy().isEmpty()
        || AggregateCalls.isAggregate(query);
  }

  /**
   * Returns the outer query over objects whose member {@link #ROW} is a row of {@link #of}.
   *
   * @param bound the bound query with a derived table
   */
  public static Query over(Query bound) {
    Source first = bound.from().get(0);
    String alias = first.alias();
    List<Source> from = new ArrayList<>(bound.from());
    from.set(
        0,
        new Source.Path(
            QueryBinder.ROOT,
            List.of(ROW),
            alias == null ? "" : alias, // an impossible identifier
            ((Source.Subquery) first).each(),
            first.span()));
    return bound.withFrom(from);
  }
}
