package io.kvreactive.index.internal.plan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * An index whose entries are in the order that is asked for.
 *
 * @param equal values of its first paths that all rows have
 * @param ranges of the path behind them; empty: all
 * @param reverse whether it is read from its end
 * @param missing which items that the condition lets through have no entry in their place
 */
public record OrderScan(
    IndexRef index,
    List<JsonNode> equal,
    List<ValueRange> ranges,
    boolean reverse,
    Missing missing) {
  public OrderScan {
    equal = List.copyOf(equal);
    ranges = List.copyOf(ranges);
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
