package io.kvreactive.index.internal.plan;

import io.kvreactive.index.QueryOptions.PlannerMode;
import io.kvreactive.index.internal.store.IndexAvailability.NotReady;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a query is answered. Whatever is read, the whole condition is evaluated on each item, so an
 * access may find more than there is, but never less.
 *
 * @param filter how items are found
 * @param order the index that gives the rows their order; null when none does
 * @param sorted whether rows must be sorted, since no index gives their order
 * @param nearest how the first rows are found without sorting all; null when no index does it
 * @param covered whether the values in the entries read are all that the query looks at, so that no
 *     items are loaded
 * @param ends where it is enough to read the index of {@code filter} when it is covered; null: all
 *     of it
 * @param skips whether only one entry of each value is read, since no value is wanted twice
 * @param vector the scan that gives the closest items in order; null when none does
 * @param filters the conditions that all must hold
 * @param ordering the places of ORDER BY
 * @param rejected indexes that do not serve
 * @param notReady indexes that are not read at the moment
 */
public record Plan(
    PlannerMode mode,
    AccessPath filter,
    @Nullable OrderScan order,
    boolean sorted,
    @Nullable NearestScan nearest,
    boolean covered,
    @Nullable MinMaxScan ends,
    boolean skips,
    @Nullable VectorScan vector,
    Conjunction filters,
    List<OrderTerm> ordering,
    List<IndexRejection> rejected,
    List<NotReady> notReady) {
  public Plan {
    ordering = List.copyOf(ordering);
    rejected = List.copyOf(rejected);
    notReady = List.copyOf(notReady);
  }

  /** What finding the items costs: by the better of the index of the conditions and the order's. */
  public AccessClass accessClass() {
    AccessClass found = filter.accessClass();
    if (order == null) {
      return vector != null && found == AccessClass.FULL_SCAN ? AccessClass.FULL_INDEX_SCAN : found;
    }
    AccessPath.Scan scan = order.found();
    AccessClass ordered = scan == null ? AccessClass.FULL_INDEX_SCAN : scan.accessClass();
    return ordered.compareTo(found) < 0 ? ordered : found;
  }

  /** The composite and other indexes that it reads, the order's one included. */
  public List<IndexRef> indexes() {
    return indexes(filter, order);
  }

  static List<IndexRef> indexes(AccessPath filter, @Nullable OrderScan order) {
    List<IndexRef> found = new ArrayList<>();
    if (order != null) {
      found.add(order.index());
    }
    collect(filter, found);
    return found;
  }

  private static void collect(AccessPath access, List<IndexRef> found) {
    if (access instanceof AccessPath.Scan scan) {
      found.add(scan.index());
    } else if (access instanceof AccessPath.Intersection both) {
      both.parts().forEach(part -> collect(part, found));
    } else if (access instanceof AccessPath.Union either) {
      either.parts().forEach(part -> collect(part, found));
    }
  }
}
