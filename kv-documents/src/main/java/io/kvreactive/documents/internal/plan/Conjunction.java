package io.kvreactive.documents.internal.plan;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.value.Values;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A conjunction of predicates, each on the value of one field, looked up by path. */
final class Conjunction {
  private final List<Predicate> predicates;
  private final List<Condition.Or> others;
  private final Map<IndexPath, List<Predicate>> byPath = new HashMap<>();
  private final Map<Alias, Optional<OneRange>> ranges = new ConcurrentHashMap<>();

  private record Alias(IndexPath path, int source) {}

  /**
   * Creates a conjunction.
   *
   * @param predicates the predicates in the order of the text
   * @param others the disjunctions, which are no predicates on one field
   */
  Conjunction(List<Predicate> predicates, List<Condition.Or> others) {
    this.predicates = List.copyOf(predicates);
    this.others = List.copyOf(others);
    for (Predicate predicate : predicates) {
      checkpoint();
      byPath.computeIfAbsent(predicate.field().exact(), path -> new ArrayList<>()).add(predicate);
    }
  }

  List<Predicate> predicates() {
    return predicates;
  }

  List<Condition.Or> others() {
    return others;
  }

  static Conjunction of(Condition condition) {
    List<Predicate> predicates = new ArrayList<>();
    List<Condition.Or> others = new ArrayList<>();
    List<Condition> parts =
        condition instanceof Condition.And and ? and.parts() : List.of(condition);
    for (Condition part : parts) {
      checkpoint();
      if (part instanceof Condition.Leaf leaf) {
        predicates.add(leaf.predicate());
      } else if (part instanceof Condition.Or or) {
        others.add(or);
      }
    }
    return new Conjunction(predicates, others);
  }

  /** Returns all paths with a predicate, in the order of the text. */
  Set<IndexPath> paths() {
    Set<IndexPath> paths = new LinkedHashSet<>();
    predicates.forEach(predicate -> paths.add(predicate.field().path()));
    return paths;
  }

  /** Returns the aliases that the predicates on a path refer to. */
  Set<Integer> sources(IndexPath path) {
    Set<Integer> sources = new LinkedHashSet<>();
    byPath.getOrDefault(path, List.of()).forEach(one -> sources.add(one.field().source()));
    return sources;
  }

  /** Returns the predicates on a path; for a path with elements, only those of the alias. */
  List<Predicate> on(IndexPath path, int source) {
    List<Predicate> on = byPath.getOrDefault(path, List.of());
    return path.hasElements()
        ? on.stream().filter(predicate -> predicate.field().source() == source).toList()
        : Collections.unmodifiableList(on);
  }

  @Nullable Predicate equal(IndexPath path, int source) {
    for (Predicate predicate : on(path, source)) {
      if (predicate.kind() == Predicate.Kind.EQUAL) {
        return predicate;
      }
    }
    return null;
  }

  /** Returns the single range on a path with its predicates, or null if there is none. */
  @Nullable OneRange range(IndexPath path, int source) {
    Alias alias = new Alias(path, path.hasElements() ? source : 0);
    Optional<OneRange> known = ranges.get(alias);
    if (known == null) {
      known = Optional.ofNullable(OneRange.of(on(path, source))); // may yield, so no lock is held
      ranges.put(alias, known);
    }
    return known.orElse(null);
  }

  /** A range and the predicates combined in it. */
  record OneRange(ValueRange range, List<Predicate> predicates) {
    /**
     * Combines all predicates that form one range of one type, starting with the first; null if
     * there is none.
     */
    static @Nullable OneRange of(List<Predicate> on) {
      ValueRange range = null;
      List<Predicate> joined = new ArrayList<>();
      for (Predicate predicate : on) {
        if (predicate.kind() != Predicate.Kind.RANGE) {
          continue;
        }
        ValueRange next = predicate.ranges().get(0);
        ValueRange both =
            range == null
                ? next
                : range instanceof ValueRange.Between one && next instanceof ValueRange.Between two
                    ? both(one, two)
                    : null;
        if (both != null) {
          range = both;
          joined.add(predicate);
        }
      }
      return range == null ? null : new OneRange(range, List.copyOf(joined));
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

    /**
     * Returns true if the first bound is tighter than the second; {@code sign} is -1 for upper
     * bounds.
     */
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
