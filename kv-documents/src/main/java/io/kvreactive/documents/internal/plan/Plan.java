package io.kvreactive.documents.internal.plan;

import io.kvreactive.documents.QueryOptions.PlannerMode;
import io.kvreactive.documents.internal.store.IndexAvailability.NotReady;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The plan of a query. The whole condition is evaluated on each candidate, so an access path may
 * have false positives, but no false negatives.
 *
 * @param filter the access path
 * @param order the index that gives the order of the rows; null if none does
 * @param sorted true if rows must be sorted, since no index gives their order
 * @param nearest the scan that finds the first rows without sorting all; null if no index serves
 * @param covered true if the entries read have all values that the query reads, so that no items
 *     are loaded
 * @param ends the ends of the index of {@code filter} that are read if it is covered; null for the
 *     whole index
 * @param skips true if one entry of each value is read, since the query needs no value twice
 * @param prefix the number of the first values of an entry that are those of a group or of a
 *     DISTINCT row, so that the entries of a group are adjacent; 0 if groups are collected in
 *     memory
 * @param vector the scan that gives the closest items in order; null if none does
 * @param filters the conjunction of the predicates
 * @param ordering the terms of ORDER BY
 * @param rejected the indexes that do not serve the query
 * @param notReady the indexes that are not readable at the moment
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
    int prefix,
    @Nullable VectorScan vector,
    Conjunction filters,
    List<OrderTerm> ordering,
    List<IndexRejection> rejected,
    List<NotReady> notReady) {
  /** One term of ORDER BY. */
  public record OrderTerm(FieldRef field, boolean descending) {}

  /**
   * An index that does not serve a query, with the reason.
   *
   * @param rule the violated rule, R1 to R5
   */
  public record IndexRejection(IndexRef index, String rule, String reason) {}

  public Plan {
    ordering = List.copyOf(ordering);
    rejected = List.copyOf(rejected);
    notReady = List.copyOf(notReady);
  }

  /**
   * Returns the class of finding the items: the cheaper of the index of the conditions and the
   * index of the order.
   */
  public AccessClass accessClass() {
    AccessClass found = filter.accessClass();
    if (order == null) {
      return vector == null || found != AccessClass.FULL_SCAN
          ? found
          : vector.shards() == null ? AccessClass.FULL_INDEX_SCAN : AccessClass.INDEX_SEEK;
    }
    AccessPath.Scan scan = order.found();
    AccessClass ordered = scan == null ? AccessClass.FULL_INDEX_SCAN : scan.accessClass();
    return ordered.compareTo(found) < 0 ? ordered : found;
  }

  /**
   * Returns the composite and other indexes that the plan reads, including the index of the order.
   */
  public List<IndexRef> indexes() {
    return indexes(filter, order);
  }

  static List<IndexRef> indexes(AccessPath filter, @Nullable OrderScan order) {
    List<IndexRef> found = new ArrayList<>();
    if (order != null) {
      found.add(order.index());
    }
    filter.scans().forEach(scan -> found.add(scan.index()));
    return found;
  }
}
