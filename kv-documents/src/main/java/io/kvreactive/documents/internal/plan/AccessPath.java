package io.kvreactive.documents.internal.plan;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An access path: the way to find the candidates of a query. */
public sealed interface AccessPath {
  /** The access path to all items. */
  record FullScan() implements AccessPath {}

  /** The access path to no items: the condition can never hold. */
  record Empty() implements AccessPath {}

  /** The items found by all parts. Each part may have false positives, so parts may be omitted. */
  record Intersection(List<AccessPath> parts) implements AccessPath {
    public Intersection {
      parts = List.copyOf(parts);
    }
  }

  /** The items found by at least one part. */
  record Union(List<AccessPath> parts) implements AccessPath {
    public Union {
      parts = List.copyOf(parts);
    }
  }

  /**
   * A scan of entries of one index.
   *
   * @param equal the values of the first paths
   * @param ranges the ranges of the path after them; empty for all values, including undefined
   * @param exact true if exactly the items found meet {@link #predicates}
   * @param test the test of the value after the equal ones; null for none
   * @param predicates the predicates that the scan serves
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

    /** Creates a scan of all entries with some values, for no condition. */
    Scan(IndexRef index, List<ValueRange> ranges, AccessClass accessClass) {
      this(index, List.of(), ranges, accessClass, true, null, List.of());
    }

    /** Returns a scan like this one for the combined range of several predicates. */
    Scan joined(Conjunction.OneRange range) {
      return new Scan(
          index, List.of(), List.of(range.range()), accessClass, exact, null, range.predicates());
    }

    /** Returns true if all entries have the same values: they are in document id order then. */
    public boolean isPointScan() {
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

  /** Returns the parts of an intersection or union, else this access path. */
  default List<AccessPath> parts() {
    return List.of(this);
  }

  /** Returns all scans, in the order of the parts. */
  default List<Scan> scans() {
    List<Scan> found = new ArrayList<>();
    for (AccessPath part : parts()) {
      checkpoint();
      if (part instanceof Scan scan) {
        found.add(scan);
      } else if (part != this) {
        found.addAll(part.scans());
      }
    }
    return found;
  }

  /** Returns the class of the most expensive part that must be read. */
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
