package io.kvreactive.index.internal.sql;

import io.kvreactive.index.internal.sql.ast.Query;
import io.kvreactive.index.internal.sql.ast.Query.Source;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Queries over the rows of a subquery in FROM that have to be made before: it combines items, or
 * sorts or counts them, or is over none. All others are made item by item, with the query around.
 */
public final class DerivedTables {
  /** What a row of the subquery is a member of, in the object that stands for an item. */
  public static final String ROW = "row";

  private DerivedTables() {}

  /**
   * The subquery; null when the rows of a query can be made item by item.
   *
   * @param query bound or not
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
   * The query over objects whose member {@link #ROW} is a row of {@link #of}.
   *
   * @param bound one that has such a subquery
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
            alias == null ? "" : alias, // which no identifier is
            ((Source.Subquery) first).each(),
            first.span()));
    return new Query(
        bound.select(),
        from,
        bound.where(),
        bound.groupBy(),
        bound.orderBy(),
        bound.offset(),
        bound.limit(),
        bound.span());
  }
}
