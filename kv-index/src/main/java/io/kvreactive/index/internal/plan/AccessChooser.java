package io.kvreactive.index.internal.plan;

import static io.kvreactive.index.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.node.TextNode;
import io.kvreactive.index.internal.layout.CompositeIndex;
import io.kvreactive.index.internal.layout.TermsIndex;
import io.kvreactive.index.internal.layout.TupleIndex;
import io.kvreactive.index.internal.path.IndexPath;
import io.kvreactive.index.internal.plan.Filters.OneRange;
import io.kvreactive.index.internal.plan.ValueRange.ValueType;
import io.kvreactive.index.internal.sql.ast.Expr;
import io.kvreactive.index.internal.store.IndexAvailability;
import io.kvreactive.index.spi.CallCondition;
import io.kvreactive.index.spi.TermRange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Chooses the indexes that find the items for a condition. */
final class AccessChooser {
  private static final IndexPath ID = IndexPath.of("id");

  /** Scans of one value that are intersected: more of them seldom leave out more items. */
  private static final int MAX_SEEKS = 4;

  private final IndexAvailability available;
  private final boolean extended;

  /**
   * @param extended whether the start of a composite index serves too
   */
  AccessChooser(IndexAvailability available, boolean extended) {
    this.available = available;
    this.extended = extended;
  }

  /**
   * @param composites whether composite indexes may serve
   */
  Access choose(Condition condition, boolean composites) {
    if (condition instanceof Condition.Never) {
      return new Access.Nothing();
    }
    if (condition instanceof Condition.Any) {
      return new Access.Everything();
    }
    if (condition instanceof Condition.Or or) {
      return union(or, composites);
    }
    return choose(Filters.of(condition), composites);
  }

  private Access union(Condition.Or or, boolean composites) {
    List<Access> parts = new ArrayList<>(or.parts().size());
    for (Condition part : or.parts()) {
      Access access = choose(part, composites);
      if (access instanceof Access.Everything) {
        return access;
      }
      parts.add(access);
    }
    List<Access> joined = Unions.joined(parts);
    return joined.size() == 1 ? joined.get(0) : new Access.Either(joined);
  }

  Access choose(Filters filters, boolean composites) {
    Set<Predicate> covered = new LinkedHashSet<>();
    List<Access> seeks = new ArrayList<>();
    List<Access> ranges = new ArrayList<>();
    Access.Scan byId = byId(filters);
    if (byId != null) {
      return byId;
    }
    if (composites) {
      for (Access.Scan scan : composites(filters)) {
        covered.addAll(scan.predicates());
        (hasEquality(scan) ? seeks : ranges).add(scan);
      }
    }
    for (TupleIndex index : available.tuples()) {
      Access.Scan scan = TupleRules.of(index, filters);
      if (scan != null) {
        covered.addAll(scan.predicates());
        (hasEquality(scan) ? seeks : ranges).add(scan);
      }
    }
    ranges.addAll(terms(filters));
    for (Access.Scan scan : scans(filters, covered)) {
      (scan.isSeek() ? seeks : ranges).add(scan);
    }
    if (!seeks.isEmpty()) {
      return both(seeks.subList(0, Math.min(seeks.size(), MAX_SEEKS)));
    }
    for (Condition.Or or : filters.others()) {
      Access access = union(or, composites);
      if (!(access instanceof Access.Everything)) {
        ranges.add(access);
      }
    }
    return cheapest(ranges);
  }

  /** A scan for each condition that an index of an extension serves. */
  private List<Access> terms(Filters filters) {
    List<Access> scans = new ArrayList<>();
    for (Predicate predicate : filters.predicates()) {
      checkpoint();
      CallCondition call = predicate.call();
      if (call == null) {
        continue;
      }
      for (TermsIndex index : available.terms()) {
        List<TermRange> found =
            index.has(predicate.place().path()) ? index.index().ranges(call) : null;
        if (found != null) {
          scans.add(scan(index, found, List.of(predicate)));
          break;
        }
      }
    }
    return scans;
  }

  /** The index of terms that bounds a function by which rows are ordered; null for none. */
  @Nullable Nearest nearest(Expr by, Conditions conditions, Scope scope) {
    Predicate predicate = conditions.call(by, scope);
    CallCondition call = predicate == null ? null : predicate.call();
    if (predicate == null || call == null) {
      return null;
    }
    for (TermsIndex index : available.terms()) {
      List<Double> reaches = index.index().reaches(call.function());
      if (!reaches.isEmpty() && index.has(predicate.place().path())) {
        return new Nearest(index, call, reaches);
      }
    }
    return null;
  }

  static Access.Scan scan(TermsIndex index, List<TermRange> found, List<Predicate> predicates) {
    List<ValueRange> ranges = new ArrayList<>(found.size());
    for (TermRange range : found) {
      TextNode first = TextNode.valueOf(range.first());
      ranges.add(
          range.first().equals(range.last())
              ? new ValueRange.Point(first)
              : new ValueRange.Between(first, true, TextNode.valueOf(range.last()), true));
    }
    if (ranges.isEmpty()) { // of items that are always candidates, the entries alone
      ranges.add(new ValueRange.Point(TextNode.valueOf("")));
    }
    return new Access.Scan(
        new IndexRef.Terms(index),
        List.of(),
        ranges,
        AccessClass.EXPANDED_INDEX_SCAN,
        false,
        null,
        predicates);
  }

  private static boolean hasEquality(Access.Scan scan) {
    return !scan.equal().isEmpty();
  }

  private Access.@Nullable Scan byId(Filters filters) {
    Predicate id = filters.equal(ID, 0);
    return id == null ? null : scan(id);
  }

  private static Access both(Collection<? extends Access> parts) {
    return parts.size() == 1 ? parts.iterator().next() : new Access.Both(List.copyOf(parts));
  }

  private static Access cheapest(List<Access> ranges) {
    if (ranges.isEmpty()) {
      return new Access.Everything();
    }
    List<Access> narrow =
        ranges.stream()
            .filter(access -> access.accessClass().compareTo(AccessClass.EXPANDED_INDEX_SCAN) <= 0)
            .sorted(Comparator.comparing(AccessChooser::isExpanded)) // the first one leads
            .toList();
    return narrow.isEmpty()
        ? ranges.stream().min(Comparator.comparing(Access::accessClass)).orElseThrow()
        : both(onePerValue(narrow));
  }

  private static boolean isExpanded(Access access) {
    return access.accessClass() == AccessClass.EXPANDED_INDEX_SCAN;
  }

  /** Of the scans of one range index with a value for each item, one: it tests the others. */
  private static List<Access> onePerValue(List<Access> narrow) {
    List<Access> chosen = new ArrayList<>();
    Map<IndexRef, Integer> places = new HashMap<>();
    for (Access access : narrow) {
      checkpoint();
      if (!(access instanceof Access.Scan scan
          && scan.index() instanceof IndexRef.Range
          && scan.index().isSingle())) {
        chosen.add(access);
        continue;
      }
      Integer place = places.putIfAbsent(scan.index(), chosen.size());
      if (place == null) {
        chosen.add(scan);
      } else if (findsMost((Access.Scan) chosen.get(place)) && !findsMost(scan)) {
        chosen.set(place, scan);
      }
    }
    return chosen;
  }

  /** Whether it is for all values but some, as {@code !=} is. */
  private static boolean findsMost(Access.Scan scan) {
    return scan.ranges().stream().anyMatch(range -> range instanceof ValueRange.Except);
  }

  /** The composite indexes that together serve most conditions, each adding some. */
  private List<Access.Scan> composites(Filters filters) {
    List<Access.Scan> candidates = new ArrayList<>();
    for (CompositeIndex index : available.composites()) {
      CompositeRules.Verdict verdict = CompositeRules.filter(index, filters);
      if (verdict.scan() == null && extended) {
        verdict = CompositeRules.prefix(index, filters);
      }
      if (verdict.scan() != null) {
        candidates.add(verdict.scan());
      }
    }
    candidates.sort(
        Comparator.comparingInt((Access.Scan scan) -> -scan.predicates().size())
            .thenComparingInt(scan -> scan.ranges().isEmpty() ? 1 : 0));
    Set<Predicate> covered = new LinkedHashSet<>();
    List<Access.Scan> chosen = new ArrayList<>();
    for (Access.Scan scan : candidates) {
      if (covered.addAll(scan.predicates())) {
        chosen.add(scan);
      }
    }
    return chosen;
  }

  /** A scan of a range index for each condition that is not served, ranges of one value joined. */
  private List<Access.Scan> scans(Filters filters, Set<Predicate> covered) {
    List<Access.Scan> scans = new ArrayList<>();
    Set<Predicate> done = new LinkedHashSet<>(covered);
    for (Predicate predicate : filters.predicates()) {
      checkpoint();
      if (!done.add(predicate)) {
        continue;
      }
      Access.Scan scan = scan(predicate);
      if (scan == null) {
        continue;
      }
      Place place = predicate.place();
      OneRange range =
          predicate.kind() == Predicate.Kind.RANGE && place.exact().equals(place.path())
              ? filters.range(place.path(), place.source())
              : null;
      if (range != null
          && range.predicates().size() > 1
          && range.predicates().contains(predicate)) {
        done.addAll(range.predicates());
        scan =
            new Access.Scan(
                scan.index(),
                List.of(),
                List.of(range.range()),
                scan.accessClass(),
                scan.exact(),
                null,
                range.predicates());
      }
      scans.add(scan);
    }
    return scans;
  }

  /** Null when the range index of its place cannot serve it. */
  Access.@Nullable Scan scan(Predicate predicate) {
    Place place = predicate.place();
    IndexPath path = place.path();
    if (predicate.kind() == Predicate.Kind.CALL
        || path.size() == 0
        || !available.rangeUsable(path)) {
      return null;
    }
    boolean isMissing = predicate.isMissing();
    if (isMissing && (!place.isSingle() || !available.explicit(path))) {
      return null;
    }
    List<ValueRange> ranges = predicate.ranges();
    boolean whole = !predicate.containers() || available.containerUsable(path);
    if (!whole) {
      if (path.hasElements() || !available.explicit(path)) {
        return null;
      }
      // entries of items with an array or object there tell undefined
      ranges = new ArrayList<>(ranges);
      ranges.add(new ValueRange.Types(ValueType.UNDEFINED, ValueType.UNDEFINED));
    }
    boolean hashed =
        ranges.stream()
            .anyMatch(
                range ->
                    range instanceof ValueRange.Point point && point.value().isContainerNode());
    return new Access.Scan(
        new IndexRef.Range(path),
        List.of(),
        ranges,
        predicate.accessClass(),
        whole
            && !hashed
            && predicate.tight()
            && place.isSingle()
            && (!isMissing || available.containerUsable(path)),
        predicate.tested() ? predicate : null,
        List.of(predicate));
  }
}
