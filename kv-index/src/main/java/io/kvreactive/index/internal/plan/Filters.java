package io.kvreactive.index.internal.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.internal.path.IndexPath;
import io.kvreactive.index.internal.value.Values;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The conditions that all must hold, each on the value at one place.
 *
 * @param predicates in the order of the text
 * @param others conditions that are no such ones, but say something: unions
 */
record Filters(List<Predicate> predicates, List<Condition.Or> others) {
  static Filters of(Condition condition) {
    List<Predicate> predicates = new ArrayList<>();
    List<Condition.Or> others = new ArrayList<>();
    List<Condition> parts =
        condition instanceof Condition.And and ? and.parts() : List.of(condition);
    for (Condition part : parts) {
      if (part instanceof Condition.Leaf leaf) {
        predicates.add(leaf.predicate());
      } else if (part instanceof Condition.Or or) {
        others.add(or);
      }
    }
    return new Filters(List.copyOf(predicates), List.copyOf(others));
  }

  /** All paths with a condition, in the order of the text. */
  Set<IndexPath> paths() {
    Set<IndexPath> paths = new LinkedHashSet<>();
    predicates.forEach(predicate -> paths.add(predicate.place().path()));
    return paths;
  }

  /** The aliases that conditions on this path are on. */
  Set<Integer> sources(IndexPath path) {
    Set<Integer> sources = new LinkedHashSet<>();
    for (Predicate predicate : predicates) {
      if (predicate.place().exact().equals(path)) {
        sources.add(predicate.place().source());
      }
    }
    return sources;
  }

  /** Those on that path; when it has elements, only by that alias. */
  List<Predicate> on(IndexPath path, int source) {
    return predicates.stream()
        .filter(predicate -> predicate.place().exact().equals(path))
        .filter(predicate -> !path.hasElements() || predicate.place().source() == source)
        .toList();
  }

  @Nullable Predicate equal(IndexPath path, int source) {
    for (Predicate predicate : on(path, source)) {
      if (predicate.kind() == Predicate.Kind.EQUAL) {
        return predicate;
      }
    }
    return null;
  }

  /** The one range on a path, with what it is made of; null when there is none. */
  @Nullable OneRange range(IndexPath path, int source) {
    OneRange range = null;
    for (Predicate predicate : on(path, source)) {
      if (predicate.kind() == Predicate.Kind.RANGE) {
        range =
            range == null
                ? new OneRange(predicate.ranges().get(0), List.of(predicate))
                : range.and(predicate);
      }
    }
    return range;
  }

  /** A range and the conditions that it stands for. */
  record OneRange(ValueRange range, List<Predicate> predicates) {
    /** Together with another one if both are one range of one type, else as it is. */
    OneRange and(Predicate predicate) {
      if (range instanceof ValueRange.Between one
          && predicate.ranges().get(0) instanceof ValueRange.Between two) {
        ValueRange.Between both = both(one, two);
        if (both != null) {
          List<Predicate> more = new ArrayList<>(predicates);
          more.add(predicate);
          return new OneRange(both, more);
        }
      }
      return this;
    }

    private static ValueRange.@Nullable Between both(
        ValueRange.Between one, ValueRange.Between two) {
      if (type(one).getNodeType() != type(two).getNodeType()) {
        return null;
      }
      boolean lowOfOne = above(one.low(), one.lowInclusive(), two.low(), two.lowInclusive(), 1);
      boolean highOfOne =
          above(one.high(), one.highInclusive(), two.high(), two.highInclusive(), -1);
      return new ValueRange.Between(
          lowOfOne ? one.low() : two.low(),
          lowOfOne ? one.lowInclusive() : two.lowInclusive(),
          highOfOne ? one.high() : two.high(),
          highOfOne ? one.highInclusive() : two.highInclusive());
    }

    /** Whether the first bound leaves less than the second; {@code sign} is -1 for upper ones. */
    private static boolean above(
        @Nullable JsonNode a,
        boolean aInclusive,
        @Nullable JsonNode b,
        boolean bInclusive,
        int sign) {
      if (a == null || b == null) {
        return b == null;
      }
      int order = sign * Values.compare(a, b);
      return order > 0 || order == 0 && (!aInclusive || bInclusive);
    }

    private static JsonNode type(ValueRange.Between range) {
      JsonNode low = range.low();
      JsonNode high = range.high();
      if (low == null && high == null) {
        throw new IllegalArgumentException("range: without bounds (expected: one at least)");
      }
      return low != null ? low : java.util.Objects.requireNonNull(high);
    }
  }
}
