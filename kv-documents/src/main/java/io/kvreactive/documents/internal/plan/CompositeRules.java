package io.kvreactive.documents.internal.plan;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.layout.CompositeComponent;
import io.kvreactive.documents.internal.layout.CompositeIndex;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.plan.Conjunction.OneRange;
import io.kvreactive.documents.internal.plan.Plan.OrderTerm;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rules by which a composite index serves a query, R1 to R5 of docs/query.md. */
final class CompositeRules {
  private CompositeRules() {}

  /**
   * The outcome of a rule.
   *
   * @param scan the scan, or null if the index does not serve
   * @param reason the reason for the rejection; empty if the index serves
   */
  record Verdict(AccessPath.@Nullable Scan scan, String rule, String reason) {
    static Verdict no(String rule, String reason) {
      return new Verdict(null, rule, reason);
    }
  }

  /**
   * Applies R1: the index must have exactly the requested order. Returns an empty text, or the
   * reason why not.
   */
  static String order(CompositeIndex index, List<OrderTerm> order) {
    List<CompositeComponent> components = index.components();
    if (index.hasElements()) {
      return "an index of array elements has no order of items";
    }
    if (components.size() != order.size()) {
      return "it has "
          + components.size()
          + " paths, ORDER BY has "
          + order.size()
          + (order.size() == 1 ? ", which a range index serves" : "");
    }
    boolean inverted = components.get(0).descending() != order.get(0).descending();
    for (int i = 0; i < order.size(); i++) {
      CompositeComponent component = components.get(i);
      if (!component.path().equals(order.get(i).field().exact())) {
        return "ORDER BY item "
            + (i + 1)
            + " is "
            + order.get(i).field().exact()
            + ", its path there is "
            + component.path();
      }
      if ((component.descending() != order.get(i).descending()) != inverted) {
        return "the directions are neither all the same nor all opposite";
      }
    }
    return "";
  }

  /**
   * Applies R2 and R5: filters on all paths, equality first, at most one range, on the last path.
   */
  static Verdict filter(CompositeIndex index, Conjunction filters) {
    Verdict verdict = null;
    for (int source : sources(index, filters)) {
      verdict = filter(index, filters, source);
      if (verdict.scan() != null) {
        return verdict;
      }
    }
    return verdict == null ? filter(index, filters, 0) : verdict;
  }

  /** Returns the aliases that may stand for the elements in the paths of an index. */
  private static Set<Integer> sources(CompositeIndex index, Conjunction filters) {
    Set<Integer> sources = new LinkedHashSet<>();
    for (CompositeComponent component : index.components()) {
      if (component.path().hasElements()) {
        sources.addAll(filters.sources(component.path()));
      }
    }
    return sources;
  }

  private static Verdict filter(CompositeIndex index, Conjunction filters, int source) {
    String rule = index.hasElements() ? "R5" : "R2";
    List<CompositeComponent> components = index.components();
    List<JsonNode> equal = new ArrayList<>();
    List<Predicate> used = new ArrayList<>();
    for (int i = 0; i < components.size(); i++) {
      IndexPath path = components.get(i).path();
      Predicate equality = filters.equal(path, source);
      OneRange range = filters.range(path, source);
      boolean last = i == components.size() - 1;
      if (equality != null) {
        equal.add(value(equality));
        used.add(equality);
      } else if (range != null && last) {
        used.addAll(range.predicates());
        return found(index, rule, equal, List.of(range.range()), used, true);
      } else if (range != null) {
        return Verdict.no(rule, "the range filter on " + path + " is not on the last path");
      } else if (filters.on(path, source).isEmpty()) {
        return Verdict.no(
            rule,
            path.hasElements() && filters.paths().contains(path)
                ? "the filters on array elements are not all on one alias"
                : "there is no filter on " + path);
      } else {
        return Verdict.no(rule, "the filter on " + path + " is neither an equality nor a range");
      }
    }
    return found(index, rule, equal, List.of(), used, true);
  }

  /**
   * Applies R3, the filters beside the order: equality on the first paths, then at most one range
   * or function, on the last path. No other filter may be on a path of the index.
   */
  static Verdict orderedFilter(CompositeIndex index, Conjunction filters) {
    List<CompositeComponent> components = index.components();
    List<JsonNode> equal = new ArrayList<>();
    List<Predicate> used = new ArrayList<>();
    int at = 0;
    for (; at < components.size(); at++) {
      Predicate equality = filters.equal(components.get(at).path(), 0);
      if (equality == null) {
        break;
      }
      equal.add(value(equality));
      used.add(equality);
    }
    for (int i = at; i < components.size(); i++) {
      IndexPath path = components.get(i).path();
      List<Predicate> on = filters.on(path, 0);
      if (on.isEmpty()) {
        continue;
      }
      OneRange range = filters.range(path, 0);
      if (i != components.size() - 1 || i != at) {
        return Verdict.no(
            "R3",
            filters.equal(path, 0) != null
                ? "the equality on " + path + " does not come first in ORDER BY"
                : "the range filter on " + path + " is not on the last path of ORDER BY");
      }
      if (range != null) {
        used.addAll(range.predicates());
        return found(index, "R3", equal, List.of(range.range()), used, true);
      }
      Predicate function = on.get(0);
      used.add(function);
      return found(index, "R3", equal, function.ranges(), used, function.tight());
    }
    return found(index, "R3", equal, List.of(), used, true);
  }

  /**
   * Applies R4: SUM or AVG of the last path, equality on the paths before, at most a range on the
   * last.
   */
  static Verdict aggregate(CompositeIndex index, Conjunction filters, IndexPath aggregated) {
    List<CompositeComponent> components = index.components();
    IndexPath last = components.get(components.size() - 1).path();
    if (!last.equals(aggregated)) {
      return Verdict.no("R4", "the aggregated " + aggregated + " is not its last path");
    }
    List<JsonNode> equal = new ArrayList<>();
    List<Predicate> used = new ArrayList<>();
    for (CompositeComponent component : components.subList(0, components.size() - 1)) {
      Predicate equality = filters.equal(component.path(), 0);
      if (equality == null) {
        return Verdict.no("R4", "there is no equality filter on " + component.path());
      }
      equal.add(value(equality));
      used.add(equality);
    }
    OneRange range = filters.range(last, 0);
    if (range != null) {
      used.addAll(range.predicates());
    }
    for (Predicate predicate : filters.predicates()) {
      checkpoint();
      if (!used.contains(predicate)) {
        return Verdict.no(
            "R4",
            "the filter on "
                + predicate.field().path()
                + (predicate.field().path().equals(last)
                    ? " is no single range"
                    : " is not in it"));
      }
    }
    if (!filters.others().isEmpty()) {
      return Verdict.no("R4", "there is an OR");
    }
    return found(
        index, "R4", equal, range == null ? List.of() : List.of(range.range()), used, true);
  }

  /**
   * Applies the extended rule: equality on the first paths, then at most a range; other filters are
   * free.
   */
  static Verdict prefix(CompositeIndex index, Conjunction filters) {
    List<JsonNode> equal = new ArrayList<>();
    List<Predicate> used = new ArrayList<>();
    for (CompositeComponent component : index.components()) {
      if (component.path().hasElements()) {
        return Verdict.no("R5", "not all of its paths are filtered");
      }
      Predicate equality = filters.equal(component.path(), 0);
      if (equality == null) {
        OneRange range = filters.range(component.path(), 0);
        if (range != null) {
          used.addAll(range.predicates());
          return found(index, "R2", equal, List.of(range.range()), used, true);
        }
        break;
      }
      equal.add(value(equality));
      used.add(equality);
    }
    return used.isEmpty()
        ? Verdict.no("R2", "there is no filter on " + index.components().get(0).path())
        : found(index, "R2", equal, List.of(), used, true);
  }

  private static JsonNode value(Predicate equality) {
    return ((ValueRange.Point) equality.ranges().get(0)).value();
  }

  private static Verdict found(
      CompositeIndex index,
      String rule,
      List<JsonNode> equal,
      List<ValueRange> ranges,
      List<Predicate> used,
      boolean tight) {
    boolean exact =
        tight
            && !index.hasElements()
            && used.stream()
                .allMatch(predicate -> predicate.tight() && predicate.field().isSingle())
            && equal.stream().noneMatch(JsonNode::isContainerNode);
    AccessClass accessClass =
        used.stream()
            .map(Predicate::accessClass)
            .max(AccessClass::compareTo)
            .orElse(AccessClass.FULL_INDEX_SCAN);
    return new Verdict(
        new AccessPath.Scan(
            new IndexRef.Composite(index), equal, ranges, accessClass, exact, null, used),
        rule,
        "");
  }
}
