package io.kvreactive.index.internal.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.internal.layout.TupleIndex;
import io.kvreactive.index.internal.path.IndexPath;
import io.kvreactive.index.internal.plan.Conjunction.OneRange;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * When a tuple index serves: conditions on the members of one element, equality on the first ones,
 * then at most one range.
 */
final class TupleRules {
  private TupleRules() {}

  /** The best scan; null when it does not serve. A single member is left to its range index. */
  static AccessPath.@Nullable Scan of(TupleIndex index, Conjunction filters) {
    Set<Integer> sources = new LinkedHashSet<>();
    for (Predicate predicate : filters.predicates()) {
      if (isIn(index, predicate.place())) {
        sources.add(predicate.place().source());
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

  private static boolean isIn(TupleIndex index, FieldRef place) {
    return place.path().hasElements()
        && place.array().equals(index.array())
        && index.members().contains(place.insideElement());
  }

  private static AccessPath.Scan of(TupleIndex index, Conjunction filters, int source) {
    List<JsonNode> equal = new ArrayList<>();
    List<ValueRange> ranges = List.of();
    List<Predicate> used = new ArrayList<>();
    for (IndexPath member : index.members()) {
      List<Predicate> on = new ArrayList<>();
      for (Predicate predicate : filters.predicates()) {
        FieldRef place = predicate.place();
        if (place.source() == source
            && isIn(index, place)
            && place.insideElement().equals(member)) {
          on.add(predicate);
        }
      }
      Conjunction here = new Conjunction(on, List.of());
      Predicate equality = on.isEmpty() ? null : here.equal(on.get(0).place().exact(), source);
      if (equality != null) {
        equal.add(((ValueRange.Point) equality.ranges().get(0)).value());
        used.add(equality);
        continue;
      }
      OneRange range = on.isEmpty() ? null : here.range(on.get(0).place().exact(), source);
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
