package io.kvreactive.documents.internal.plan;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.internal.layout.CompositeComponent;
import io.kvreactive.documents.internal.layout.CompositeIndex;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.plan.Plan.OrderTerm;
import io.kvreactive.documents.internal.policy.PolicyRules;
import io.kvreactive.documents.internal.sql.SqlPrinter;
import io.kvreactive.documents.internal.store.IndexAvailability;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The index metrics: utilized and potential indexes of a query, in the format of Azure Cosmos DB.
 * Indexes other than range and composite have an {@code IndexType} too, such as {@code spatial}.
 */
public final class IndexMetrics {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** Number of an index that does not exist; indexes have positive numbers. */
  private static final int NO_NUMBER = -1;

  /** Maximum number of potential indexes of each kind that are tried, as each needs a plan. */
  private static final int MAX_TRIED = 64;

  private IndexMetrics() {}

  /**
   * Returns the metrics of a plan.
   *
   * @param planner the planner of the same query, which decides if a potential index would be used
   */
  public static ObjectNode of(
      Plan plan, IndexAvailability available, Function<IndexAvailability, Plan> planner) {
    ObjectNode out = JSON.objectNode();
    ArrayNode single = out.putArray("UtilizedSingleIndexes");
    ArrayNode composite = JSON.arrayNode();
    Set<Predicate> served = new LinkedHashSet<>();
    for (AccessPath.Scan scan : plan.filter().scans()) {
      for (Predicate predicate : scan.predicates()) {
        checkpoint();
        served.add(predicate);
      }
      if (scan.index() instanceof IndexRef.Composite index) {
        composite(composite, index.spec(), scan.exact());
      } else {
        for (Predicate predicate : scan.predicates()) {
          checkpoint();
          ObjectNode used = single(single, predicate, scan.index().spec().get(0), scan.exact());
          if (!(scan.index() instanceof IndexRef.Range)) {
            used.put("IndexType", scan.index().kind());
          }
        }
      }
    }
    OrderScan order = plan.order();
    if (order != null) {
      String spec = order.index().spec().get(0);
      served.addAll(order.predicates());
      if (order.index() instanceof IndexRef.Composite index) {
        composite(composite, index.spec(), order.exact() || order.predicates().isEmpty());
      } else if (order.predicates().isEmpty()) {
        order(single, spec);
      } else {
        order.predicates().forEach(predicate -> single(single, predicate, spec, order.exact()));
      }
    }
    if (plan.vector() != null) {
      order(single, plan.vector().index().path().text()).put("IndexType", "vector");
    } else if (order == null && plan.nearest() != null) {
      IndexRef nearest = new IndexRef.Terms(plan.nearest().index());
      order(single, nearest.spec().get(0)).put("IndexType", nearest.kind());
    }
    ArrayNode potential = out.putArray("PotentialSingleIndexes");
    int tried = 0;
    for (Predicate predicate : plan.filters().predicates()) {
      checkpoint();
      IndexPath path = predicate.field().path();
      if (!served.contains(predicate)
          && predicate.kind() != Predicate.Kind.CALL
          && !available.rangeUsable(path)
          && tried++ < MAX_TRIED
          && reads(planner.apply(available.withRange(path)), new IndexRef.Range(path), plan)) {
        single(potential, predicate, path.text() + "/?", predicate.tight());
      }
    }
    out.set("UtilizedCompositeIndexes", composite);
    ArrayNode potentialComposites = out.putArray("PotentialCompositeIndexes");
    for (List<CompositeComponent> paths : potentialComposites(plan)) {
      CompositeIndex index = new CompositeIndex(NO_NUMBER, paths);
      if (reads(
          planner.apply(available.withComposite(index)), new IndexRef.Composite(index), plan)) {
        composite(potentialComposites, spec(paths), true);
      }
    }
    return out;
  }

  private static ObjectNode single(ArrayNode out, Predicate predicate, String spec, boolean exact) {
    return out.addObject()
        .put("FilterExpression", "(" + SqlPrinter.print(predicate.expr()) + ")")
        .put("IndexSpec", spec)
        .put("FilterPreciseSet", exact)
        .put("IndexPreciseSet", exact)
        .put("IndexImpactScore", impact(predicate));
  }

  /** Returns the impact, without counting entries: a few values or ranges exclude most items. */
  private static String impact(Predicate predicate) {
    return predicate.accessClass().compareTo(AccessClass.EXPANDED_INDEX_SCAN) <= 0 ? "High" : "Low";
  }

  private static ObjectNode order(ArrayNode out, String spec) {
    return out.addObject()
        .put("FilterExpression", "")
        .put("IndexSpec", spec)
        .put("FilterPreciseSet", true)
        .put("IndexPreciseSet", true)
        .put("IndexImpactScore", "High");
  }

  private static void composite(ArrayNode out, List<String> specs, boolean exact) {
    ObjectNode index = out.addObject();
    ArrayNode array = index.putArray("IndexSpecs");
    specs.forEach(array::add);
    index.put("IndexPreciseSet", exact).put("IndexImpactScore", "High");
  }

  /**
   * Returns true if a plan with an additional index uses this index and reads less than the plan
   * without it: each of its scans has all conditions of one scan of the other plan, and at least
   * one has more, or there are fewer scans. A plan of some values or ranges also reads less than
   * one that reads a whole index for another condition.
   */
  private static boolean reads(Plan with, IndexRef index, Plan without) {
    if (with.indexes().stream().noneMatch(used -> used.name().equals(index.name()))) {
      return false;
    }
    Collection<AccessPath.Scan> after = different(with);
    Collection<AccessPath.Scan> before = different(without);
    if (before.isEmpty()) { // all items are read
      return after.size() == 1;
    }
    if (before.stream().allMatch(scan -> scan.accessClass() == AccessClass.FULL_INDEX_SCAN)
        && after.stream().allMatch(IndexMetrics::isNarrow)) {
      return true;
    }
    List<AccessPath.Scan> left = new ArrayList<>(before);
    boolean less = after.size() < before.size() || orders(with) > orders(without);
    for (AccessPath.Scan scan : after) {
      AccessPath.Scan wider = null;
      for (AccessPath.Scan other : left) {
        checkpoint();
        if (scan.predicates().containsAll(other.predicates())) {
          wider = other;
          break;
        }
      }
      if (wider == null) {
        return false;
      }
      left.remove(wider);
      less |= scan.predicates().size() > wider.predicates().size();
    }
    return less;
  }

  /** Returns true if a scan reads some values or ranges, and not all but some values. */
  private static boolean isNarrow(AccessPath.Scan scan) {
    return scan.accessClass().compareTo(AccessClass.PRECISE_INDEX_SCAN) <= 0
        && scan.ranges().stream().noneMatch(ValueRange.Except.class::isInstance);
  }

  /** Returns the scans of a plan, one for each set of conditions. */
  private static Collection<AccessPath.Scan> different(Plan plan) {
    Map<Set<Predicate>, AccessPath.Scan> scans = new LinkedHashMap<>();
    PlanExplainer.scans(plan)
        .forEach(scan -> scans.putIfAbsent(Set.copyOf(scan.predicates()), scan));
    return scans.values();
  }

  /** Returns the number of conditions that bound the index of the order. */
  private static int orders(Plan plan) {
    return plan.order() == null ? 0 : plan.order().predicates().size();
  }

  /**
   * Returns the composite indexes that may help: equality paths and each range, or the ordered
   * paths.
   */
  private static List<List<CompositeComponent>> potentialComposites(Plan plan) {
    Set<IndexPath> equal = new LinkedHashSet<>();
    Set<IndexPath> ranges = new LinkedHashSet<>();
    for (Predicate predicate : plan.filters().predicates()) {
      checkpoint();
      Set<IndexPath> target =
          predicate.kind() == Predicate.Kind.EQUAL
              ? equal
              : predicate.kind() == Predicate.Kind.RANGE ? ranges : null;
      if (target != null && predicate.field().isSingle()) {
        target.add(predicate.field().exact());
      }
    }
    if (equal.size() > PolicyRules.MAX_COMPOSITE) { // each index would have all these paths
      return List.of();
    }
    ranges.removeAll(equal);
    Set<List<CompositeComponent>> indexes = new LinkedHashSet<>();
    if (!plan.ordering().isEmpty()) {
      indexes.add(ordered(plan, equal));
    } else if (ranges.isEmpty()) {
      indexes.add(ascending(equal));
    }
    for (IndexPath range : ranges) {
      List<IndexPath> paths = new ArrayList<>(equal);
      paths.add(range);
      indexes.add(ascending(paths));
    }
    return indexes.stream()
        .filter(paths -> paths.size() >= 2 && paths.size() <= PolicyRules.MAX_COMPOSITE)
        .limit(MAX_TRIED)
        .toList();
  }

  private static List<CompositeComponent> ordered(Plan plan, Set<IndexPath> equal) {
    List<CompositeComponent> components = new ArrayList<>();
    List<IndexPath> inOrder = plan.ordering().stream().map(by -> by.field().exact()).toList();
    boolean descending = plan.ordering().get(0).descending();
    for (IndexPath path : equal) {
      if (!inOrder.contains(path)) {
        components.add(new CompositeComponent(path, descending));
      }
    }
    for (OrderTerm by : plan.ordering()) {
      components.add(new CompositeComponent(by.field().exact(), by.descending()));
    }
    return components;
  }

  private static List<CompositeComponent> ascending(Collection<IndexPath> paths) {
    return paths.stream().map(path -> new CompositeComponent(path, false)).toList();
  }

  private static List<String> spec(List<CompositeComponent> components) {
    return components.stream().map(IndexRef.Composite::text).toList();
  }
}
