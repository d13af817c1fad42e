package io.kvreactive.documents.internal.plan;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.node.TextNode;
import io.kvreactive.documents.internal.layout.CompositeIndex;
import io.kvreactive.documents.internal.layout.StoredTermIndex;
import io.kvreactive.documents.internal.layout.TupleIndex;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.plan.Conjunction.OneRange;
import io.kvreactive.documents.internal.plan.ValueRange.ValueType;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.store.IndexAvailability;
import io.kvreactive.documents.spi.CallCondition;
import io.kvreactive.documents.spi.TermRange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Chooses the indexes that find the candidates for a condition. */
final class AccessChooser {
  private static final IndexPath ID = IndexPath.of("id");

  /** Maximum number of equality scans that are intersected: more seldom exclude more items. */
  private static final int MAX_EQUALITY_SCANS = 4;

  private final IndexAvailability available;
  private final boolean extended;

  /**
   * Creates a chooser.
   *
   * @param extended true if prefixes of composite indexes may serve too
   */
  AccessChooser(IndexAvailability available, boolean extended) {
    this.available = available;
    this.extended = extended;
  }

  /**
   * Returns the access path for a condition.
   *
   * @param composites true if composite indexes may serve
   */
  AccessPath choose(Condition condition, boolean composites) {
    if (condition instanceof Condition.Never) {
      return new AccessPath.Empty();
    }
    if (condition instanceof Condition.Any) {
      return new AccessPath.FullScan();
    }
    if (condition instanceof Condition.Or or) {
      return union(or, composites);
    }
    return choose(Conjunction.of(condition), composites);
  }

  private AccessPath union(Condition.Or or, boolean composites) {
    List<AccessPath> parts = new ArrayList<>(or.parts().size());
    for (Condition part : or.parts()) {
      AccessPath access = choose(part, composites);
      if (access instanceof AccessPath.FullScan) {
        return access;
      }
      parts.add(access);
    }
    List<AccessPath> joined = UnionMerger.joined(parts);
    return joined.size() == 1 ? joined.get(0) : new AccessPath.Union(joined);
  }

  AccessPath choose(Conjunction filters, boolean composites) {
    Set<Predicate> covered = new LinkedHashSet<>();
    List<AccessPath> equalityScans = new ArrayList<>();
    List<AccessPath> ranges = new ArrayList<>();
    AccessPath.Scan byId = byId(filters);
    if (byId != null) {
      return byId;
    }
    if (composites) {
      for (AccessPath.Scan scan : composites(filters)) {
        covered.addAll(scan.predicates());
        (hasEquality(scan) ? equalityScans : ranges).add(scan);
      }
    }
    for (TupleIndex index : available.tuples()) {
      AccessPath.Scan scan = TupleRules.of(index, filters);
      if (scan != null) {
        covered.addAll(scan.predicates());
        (hasEquality(scan) ? equalityScans : ranges).add(scan);
      }
    }
    ranges.addAll(terms(filters));
    for (AccessPath.Scan scan : scans(filters, covered)) {
      (scan.isPointScan() ? equalityScans : ranges).add(scan);
    }
    if (!equalityScans.isEmpty()) {
      return both(equalityScans.subList(0, Math.min(equalityScans.size(), MAX_EQUALITY_SCANS)));
    }
    for (Condition.Or or : filters.others()) {
      AccessPath access = union(or, composites);
      if (!(access instanceof AccessPath.FullScan)) {
        ranges.add(access);
      }
    }
    return cheapest(ranges);
  }

  /** Returns a scan for each condition that a term index of an extension serves. */
  private List<AccessPath> terms(Conjunction filters) {
    List<AccessPath> scans = new ArrayList<>();
    for (Predicate predicate : filters.predicates()) {
      checkpoint();
      CallCondition call = predicate.call();
      if (call == null) {
        continue;
      }
      for (StoredTermIndex index : available.terms()) {
        List<TermRange> found = index.has(predicate.field().path()) ? index.rangesOf(call) : null;
        if (found != null) {
          scans.add(scan(index, found, List.of(predicate)));
          break;
        }
      }
    }
    return scans;
  }

  /**
   * Returns the scan of a term index that bounds a function in ORDER BY, or null if there is none.
   */
  @Nullable NearestScan nearest(Expr by, ConditionBuilder conditions, FieldScope scope) {
    Predicate predicate = conditions.call(by, scope);
    CallCondition call = predicate == null ? null : predicate.call();
    if (predicate == null || call == null) {
      return null;
    }
    for (StoredTermIndex index : available.terms()) {
      List<Double> reaches = index.index().reaches(call.function());
      if (!reaches.isEmpty() && index.has(predicate.field().path())) {
        return new NearestScan(index, call, reaches);
      }
    }
    return null;
  }

  static AccessPath.Scan scan(
      StoredTermIndex index, List<TermRange> found, List<Predicate> predicates) {
    List<ValueRange> ranges = new ArrayList<>(found.size());
    for (TermRange range : found) {
      TextNode first = TextNode.valueOf(range.first());
      ranges.add(
          range.first().equals(range.last())
              ? new ValueRange.Point(first)
              : new ValueRange.Between(first, true, TextNode.valueOf(range.last()), true));
    }
    if (ranges.isEmpty()) { // only the entries of the items that are candidates for every query
      ranges.add(new ValueRange.Point(TextNode.valueOf("")));
    }
    return new AccessPath.Scan(
        new IndexRef.Terms(index),
        List.of(),
        ranges,
        AccessClass.EXPANDED_INDEX_SCAN,
        false,
        null,
        predicates);
  }

  private static boolean hasEquality(AccessPath.Scan scan) {
    return !scan.equal().isEmpty();
  }

  private AccessPath.@Nullable Scan byId(Conjunction filters) {
    Predicate id = filters.equal(ID, 0);
    return id == null ? null : scan(id);
  }

  private static AccessPath both(Collection<? extends AccessPath> parts) {
    return parts.size() == 1
        ? parts.iterator().next()
        : new AccessPath.Intersection(List.copyOf(parts));
  }

  private static AccessPath cheapest(List<AccessPath> ranges) {
    if (ranges.isEmpty()) {
      return new AccessPath.FullScan();
    }
    List<AccessPath> narrow =
        ranges.stream()
            .filter(access -> access.accessClass().compareTo(AccessClass.EXPANDED_INDEX_SCAN) <= 0)
            // the first scan drives the intersection
            .sorted(Comparator.comparing(AccessChooser::isExpanded))
            .toList();
    return narrow.isEmpty()
        ? ranges.stream().min(Comparator.comparing(AccessPath::accessClass)).orElseThrow()
        : both(onePerValue(narrow));
  }

  private static boolean isExpanded(AccessPath access) {
    return access.accessClass() == AccessClass.EXPANDED_INDEX_SCAN;
  }

  /**
   * Keeps one scan of each range index with a value for each item: its entries test the other
   * conditions.
   */
  private static List<AccessPath> onePerValue(List<AccessPath> narrow) {
    List<AccessPath> chosen = new ArrayList<>();
    Map<IndexRef, Integer> positions = new HashMap<>();
    for (AccessPath access : narrow) {
      checkpoint();
      if (!(access instanceof AccessPath.Scan scan
          && scan.index() instanceof IndexRef.Range
          && scan.index().isSingle())) {
        chosen.add(access);
        continue;
      }
      Integer position = positions.putIfAbsent(scan.index(), chosen.size());
      if (position == null) {
        chosen.add(scan);
      } else if (findsMost((AccessPath.Scan) chosen.get(position)) && !findsMost(scan)) {
        chosen.set(position, scan);
      }
    }
    return chosen;
  }

  /** Returns true if a scan finds all values except some, as {@code !=} does. */
  private static boolean findsMost(AccessPath.Scan scan) {
    return scan.ranges().stream().anyMatch(range -> range instanceof ValueRange.Except);
  }

  /**
   * Returns the composite indexes that together serve most conditions, each serving additional
   * ones.
   */
  private List<AccessPath.Scan> composites(Conjunction filters) {
    List<AccessPath.Scan> candidates = new ArrayList<>();
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
        Comparator.comparingInt((AccessPath.Scan scan) -> -scan.predicates().size())
            .thenComparingInt(scan -> scan.ranges().isEmpty() ? 1 : 0));
    Set<Predicate> covered = new LinkedHashSet<>();
    List<AccessPath.Scan> chosen = new ArrayList<>();
    for (AccessPath.Scan scan : candidates) {
      if (covered.addAll(scan.predicates())) {
        chosen.add(scan);
      }
    }
    return chosen;
  }

  /**
   * Returns a range index scan for each condition not covered yet; ranges of one value are joined.
   */
  private List<AccessPath.Scan> scans(Conjunction filters, Set<Predicate> covered) {
    List<AccessPath.Scan> scans = new ArrayList<>();
    Set<Predicate> done = new LinkedHashSet<>(covered);
    for (Predicate predicate : filters.predicates()) {
      checkpoint();
      if (!done.add(predicate)) {
        continue;
      }
      AccessPath.Scan scan = scan(predicate);
      if (scan == null) {
        continue;
      }
      FieldRef field = predicate.field();
      OneRange range =
          predicate.kind() == Predicate.Kind.RANGE && field.exact().equals(field.path())
              ? filters.range(field.path(), field.source())
              : null;
      if (range != null
          && range.predicates().size() > 1
          && range.predicates().contains(predicate)) {
        done.addAll(range.predicates());
        scan = scan.joined(range);
      }
      scans.add(scan);
    }
    return scans;
  }

  /**
   * Returns the scan of the range index at a predicate's field, or null if the index cannot serve
   * it.
   */
  AccessPath.@Nullable Scan scan(Predicate predicate) {
    FieldRef field = predicate.field();
    IndexPath path = field.path();
    if (predicate.kind() == Predicate.Kind.CALL
        || path.size() == 0
        || !available.rangeUsable(path)) {
      return null;
    }
    boolean isMissing = predicate.isMissing();
    if (isMissing && (!field.isSingle() || !available.explicit(path))) {
      return null;
    }
    List<ValueRange> ranges = predicate.ranges();
    boolean whole = !predicate.containers() || available.containerUsable(path);
    if (!whole) {
      if (path.hasElements() || !available.explicit(path)) {
        return null;
      }
      // entries of items with an array or object at the path hold undefined
      ranges = new ArrayList<>(ranges);
      ranges.add(new ValueRange.Types(ValueType.UNDEFINED, ValueType.UNDEFINED));
    }
    boolean hashed =
        ranges.stream()
            .anyMatch(
                range ->
                    range instanceof ValueRange.Point point && point.value().isContainerNode());
    return new AccessPath.Scan(
        new IndexRef.Range(path),
        List.of(),
        ranges,
        predicate.accessClass(),
        whole
            && !hashed
            && predicate.tight()
            && field.isSingle()
            && (!isMissing || available.containerUsable(path)),
        predicate.tested() ? predicate : null,
        List.of(predicate));
  }
}
