package io.kvreactive.index.internal.plan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An index whose entries are in the order that is asked for.
 *
 * @param equal values of its first paths that all rows have
 * @param ranges of the path behind them; empty: all
 * @param reverse whether it is read from its end
 * @param missing which items that the condition lets through have no entry in their place
 * @param exact whether the items found, and no others, meet {@link #predicates}
 * @param predicates the conditions that {@code equal} and {@code ranges} are for
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

  /** Of all entries, for no condition. */
  OrderScan(IndexRef index, boolean reverse, Missing missing) {
    this(index, List.of(), List.of(), reverse, missing, false, List.of());
  }

  /** The same, where items without a value do not matter. */
  OrderScan ofDefined() {
    List<ValueRange> defined = ranges.isEmpty() ? List.of(ValueRange.DEFINED) : ranges;
    return new OrderScan(index, equal, defined, reverse, Missing.NONE, exact, predicates);
  }

  /** What it finds; null when that is all there is in the index. */
  AccessPath.@Nullable Scan found() {
    return predicates.stream()
        .map(Predicate::accessClass)
        .max(AccessClass::compareTo)
        .map(most -> new AccessPath.Scan(index, equal, ranges, most, exact, null, predicates))
        .orElse(null);
  }

  /** Which items are not where they belong. */
  public enum Missing {
    /** None. */
    NONE,
    /** Those where the value is undefined have no entry. */
    UNDEFINED,
    /** Those where it is an array or object have an entry that tells undefined. */
    CONTAINERS,
    /** Those where it is undefined, an array or an object have no entry. */
    BOTH
  }
}
