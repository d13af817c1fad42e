package io.kvreactive.documents.internal.plan;

import com.fasterxml.jackson.databind.node.DoubleNode;
import io.kvreactive.documents.internal.layout.StoredTermIndex;
import io.kvreactive.documents.spi.CallCondition;
import io.kvreactive.documents.spi.CallCondition.Comparison;
import io.kvreactive.documents.spi.TermRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A nearest-first order by a function that a term index can bound. The first rows are found by
 * reading neighborhoods of increasing reach until one has enough rows.
 *
 * @param index the index that finds the items for which the function is at most a reach
 * @param call the function call, with any bound
 * @param reaches the values of the function that are tried as bounds, ascending
 */
public record NearestScan(StoredTermIndex index, CallCondition call, List<Double> reaches) {
  public NearestScan {
    reaches = List.copyOf(reaches);
  }

  /** Returns the scan of the items within a reach, or null when the index has none. */
  public AccessPath.@Nullable Scan within(double reach) {
    CallCondition bounded =
        new CallCondition(
            call.function(),
            call.subject(),
            call.arguments(),
            Comparison.LESS_OR_EQUAL,
            DoubleNode.valueOf(reach));
    List<TermRange> ranges = index.rangesOf(bounded);
    return ranges == null ? null : AccessChooser.scan(index, ranges, List.of());
  }
}
