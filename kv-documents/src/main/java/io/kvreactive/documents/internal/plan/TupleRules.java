package io.kvreactive.documents.internal.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.layout.TupleIndex;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.plan.Conjunction.OneRange;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rule by which a tuple index serves a query: conditions on the members of one element,
 * equality on the first members, then at most one range.
 */
final class TupleRules {
  private TupleRules() {}

  /**
   * Returns the best scan, or null if the index does not serve. A single member is left to its
   * range index.
   */
  static AccessPath.@Nullable Scan of(TupleIndex index, Conjunction filters) {
    Set<Integer> sources = new LinkedHashSet<>();
    for (Predicate predicate : filters.predicates()) {
      if (isIn(index, predicate.field())) {
        sources.add(predicate.field().source());
      }
    }
    AccessPath.Scan best = null;
    for (int source : sources) {
      AccessPath.Scan scan = of(index, filters, source);
      if (scan.predicates().size() > 1
          && (best == null || scan.predicates().size() > best.predicates().size())) {
        best = scan;
      }
    }
    return best;
  }

  private static boolean isIn(TupleIndex index, FieldRef field) {
    return field.path().hasElements()
        && field.array().equals(index.array())
        && index.members().contains(field.insideElement());
  }

  private static AccessPath.Scan of(TupleIndex index, Conjunction filters, int source) {
    List<JsonNode> equal = new ArrayList<>();
    List<ValueRange> ranges = List.of();
    List<Predicate> used = new ArrayList<>();
    for (IndexPath member : index.members()) {
      List<Predicate> on = new ArrayList<>();
      for (Predicate predicate : filters.predicates()) {
        FieldRef field = predicate.field();
        if (field.source() == source
            && isIn(index, field)
            && field.insideElement().equals(member)) {
          on.add(predicate);
        }
      }
      Conjunction here = new Conjunction(on, List.of());
      Predicate equality = on.isEmpty() ? null : here.equal(on.get(0).field().exact(), source);
      if (equality != null) {
        equal.add(((ValueRange.Point) equality.ranges().get(0)).value());
        used.add(equality);
        continue;
      }
      OneRange range = on.isEmpty() ? null : here.range(on.get(0).field().exact(), source);
      if (range != null) {
        ranges = List.of(range.range());
        used.addAll(range.predicates());
      }
      break;
    }
    return new AccessPath.Scan(
        new IndexRef.Tuple(index),
        equal,
        ranges,
        ranges.isEmpty() ? AccessClass.INDEX_SEEK : AccessClass.PRECISE_INDEX_SCAN,
        false,
        null,
        used);
  }
}
