package io.kvreactive.index.internal.plan;

import static io.kvreactive.index.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.index.internal.layout.CompositeComponent;
import io.kvreactive.index.internal.path.IndexPath;
import io.kvreactive.index.internal.plan.Plan.OrderTerm;
import io.kvreactive.index.internal.sql.SqlPrinter;
import io.kvreactive.index.internal.store.IndexAvailability;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The index metrics: utilized and potential indexes of a query, in the format of Azure Cosmos DB.
 * Indexes other than range and composite have an {@code IndexType} too, such as {@code spatial}.
 */
public final class IndexMetrics {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private IndexMetrics() {}

  public static ObjectNode of(Plan plan, IndexAvailability available) {
    ObjectNode out = JSON.objectNode();
    ArrayNode single = out.putArray("UtilizedSingleIndexes");
    ArrayNode composite = JSON.arrayNode();
    Set<Predicate> served = new LinkedHashSet<>();
    for (AccessPath.Scan scan : scans(plan.filter(), new ArrayList<>())) {
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
    for (Predicate predicate : plan.filters().predicates()) {
      checkpoint();
      IndexPath path = predicate.field().path();
      if (!served.contains(predicate)
          && predicate.kind() != Predicate.Kind.CALL
          && !available.rangeUsable(path)) {
        single(potential, predicate, path.text() + "/?", predicate.tight());
      }
    }
    out.set("UtilizedCompositeIndexes", composite);
    ArrayNode potentialComposites = out.putArray("PotentialCompositeIndexes");
    for (List<String> spec : potentialComposites(plan, available)) {
      composite(potentialComposites, spec, true);
    }
    return out;
  }

  private static List<AccessPath.Scan> scans(AccessPath access, List<AccessPath.Scan> found) {
    if (access instanceof AccessPath.Scan scan) {
      found.add(scan);
    } else if (access instanceof AccessPath.Intersection both) {
      both.parts().forEach(part -> scans(part, found));
    } else if (access instanceof AccessPath.Union either) {
      either.parts().forEach(part -> scans(part, found));
    }
    return found;
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
   * Returns the potential composite indexes that do not exist: equality paths and each range, or
   * the ordered paths.
   */
  private static Set<List<String>> potentialComposites(Plan plan, IndexAvailability available) {
    List<IndexPath> equal = new ArrayList<>();
    List<IndexPath> ranges = new ArrayList<>();
    for (Predicate predicate : plan.filters().predicates()) {
      checkpoint();
      IndexPath path = predicate.field().exact();
      List<IndexPath> target =
          predicate.kind() == Predicate.Kind.EQUAL
              ? equal
              : predicate.kind() == Predicate.Kind.RANGE ? ranges : null;
      if (target != null && predicate.field().isSingle() && !target.contains(path)) {
        target.add(path);
      }
    }
    ranges.removeAll(Set.copyOf(equal));
    Set<List<String>> specs = new LinkedHashSet<>();
    if (!plan.ordering().isEmpty()) {
      specs.add(ordered(plan, equal));
    } else if (ranges.isEmpty()) {
      specs.add(ascending(equal));
    }
    for (IndexPath range : ranges) {
      List<IndexPath> paths = new ArrayList<>(equal);
      paths.add(range);
      specs.add(ascending(paths));
    }
    specs.removeIf(spec -> spec.size() < 2);
    available.composites().forEach(index -> specs.remove(spec(index.components())));
    return specs;
  }

  private static List<String> ordered(Plan plan, List<IndexPath> equal) {
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
    return spec(components);
  }

  private static List<String> ascending(List<IndexPath> paths) {
    return spec(paths.stream().map(path -> new CompositeComponent(path, false)).toList());
  }

  private static List<String> spec(List<CompositeComponent> components) {
    return components.stream().map(IndexRef.Composite::text).toList();
  }
}
