package io.kvreactive.documents.internal.plan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An index scan whose entries are in the requested order.
 *
 * @param equal the values of the first paths that all rows have
 * @param ranges the ranges of the path after them; empty for all values
 * @param reverse true if the index is read from its end
 * @param missing the candidates without an entry in order position
 * @param exact true if exactly the items found meet {@link #predicates}
 * @param predicates the predicates that {@code equal} and {@code ranges} serve
 */
public record OrderScan(
    IndexRef index,
    List<JsonNode> equal,
    List<ValueRange> ranges,
    boolean reverse,
    Missing missing,
    boolean exact,
    List<Predicate> predicates) {
  public OrderScan {
    equal = List.copyOf(equal);
    ranges = List.copyOf(ranges);
    predicates = List.copyOf(predicates);
  }

  /** Returns a scan with the conditions of another, if any. */
  static OrderScan of(
      IndexRef index, AccessPath.@Nullable Scan scan, boolean reverse, Missing missing) {
    return scan == null
        ? new OrderScan(index, List.of(), List.of(), reverse, missing, false, List.of())
        : new OrderScan(
            index, scan.equal(), scan.ranges(), reverse, missing, scan.exact(), scan.predicates());
  }

  /** Returns this scan for queries to which items without a value do not matter. */
  OrderScan ofDefined() {
    List<ValueRange> defined = ranges.isEmpty() ? List.of(ValueRange.DEFINED) : ranges;
    return new OrderScan(index, equal, defined, reverse, Missing.NONE, exact, predicates);
  }

  /** Returns the equivalent scan of the conditions, or null if the whole index is read. */
  AccessPath.@Nullable Scan found() {
    return predicates.stream()
        .map(Predicate::accessClass)
        .max(AccessClass::compareTo)
        .map(most -> new AccessPath.Scan(index, equal, ranges, most, exact, null, predicates))
        .orElse(null);
  }

  /** The items whose entries are not in order position. */
  public enum Missing {
    /** No items. */
    NONE,
    /** Items with an undefined value have no entry. */
    UNDEFINED,
    /** Items with an array or object have an entry with the value undefined. */
    CONTAINERS,
    /** Items with an undefined value, an array or an object have no entry. */
    BOTH
  }
}
