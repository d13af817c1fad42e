package io.kvreactive.index.internal.plan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How the items are found that may give rows. */
public sealed interface AccessPath {
  /** All items. */
  record FullScan() implements AccessPath {}

  /** None: the condition can never hold. */
  record Empty() implements AccessPath {}

  /** Items that all of these find; each may also find too many, so some may be left out. */
  record Intersection(List<AccessPath> parts) implements AccessPath {
    public Intersection {
      parts = List.copyOf(parts);
    }
  }

  /** Items that one of these finds. */
  record Union(List<AccessPath> parts) implements AccessPath {
    public Union {
      parts = List.copyOf(parts);
    }
  }

  /**
   * Entries of one index.
   *
   * @param equal values of its first paths
   * @param ranges of the path behind them; empty: all, also undefined
   * @param exact whether all the items found, and no others, meet {@link #predicates}
   * @param test what the value behind the equal ones is tested with; null for nothing
   * @param predicates what this is for
   */
  record Scan(
      IndexRef index,
      List<JsonNode> equal,
      List<ValueRange> ranges,
      AccessClass accessClass,
      boolean exact,
      @Nullable Predicate test,
      List<Predicate> predicates)
      implements AccessPath {
    public Scan {
      equal = List.copyOf(equal);
      ranges = List.copyOf(ranges);
      predicates = List.copyOf(predicates);
    }

    /** Whether all its entries have the same values, so that they are in the order of docIds. */
    public boolean isSeek() {
      if (index instanceof IndexRef.Composite composite) {
        return equal.size() == composite.index().components().size();
      }
      if (index instanceof IndexRef.Terms) {
        return false; // an item may have several terms, also in one range
      }
      if (index instanceof IndexRef.Tuple tuple) {
        return equal.size() == tuple.index().members().size();
      }
      return test == null
          && ranges.size() == 1
          && ranges.get(0) instanceof ValueRange.Point point
          && !point.value().isContainerNode();
    }
  }

  /** The class of the dearest part that must be read. */
  default AccessClass accessClass() {
    if (this instanceof Scan scan) {
      return scan.accessClass();
    }
    if (this instanceof Intersection both) {
      return both.parts().stream()
          .map(AccessPath::accessClass)
          .min(AccessClass::compareTo)
          .orElse(AccessClass.FULL_SCAN);
    }
    if (this instanceof Union either) {
      return either.parts().stream()
          .map(AccessPath::accessClass)
          .max(AccessClass::compareTo)
          .orElse(AccessClass.INDEX_SEEK);
    }
    return this instanceof Empty ? AccessClass.INDEX_SEEK : AccessClass.FULL_SCAN;
  }
}
