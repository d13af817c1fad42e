package io.kvreactive.documents.internal.plan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Binds plans to other parameter values than those for which they were made. */
public final class PlanBinder {
  private final IdentityHashMap<JsonNode, JsonNode> values;

  private PlanBinder(IdentityHashMap<JsonNode, JsonNode> values) {
    this.values = values;
  }

  /**
   * Returns the plan with other values. Its predicates only explain the plan and stay unchanged.
   *
   * @param values the new values, keyed by the identity of their placeholder nodes
   */
  public static Plan plan(Plan plan, IdentityHashMap<JsonNode, JsonNode> values) {
    if (values.isEmpty()) {
      return plan;
    }
    PlanBinder rebound = new PlanBinder(values);
    OrderScan order = plan.order();
    return new Plan(
        plan.mode(),
        rebound.access(plan.filter()),
        order == null
            ? null
            : new OrderScan(
                order.index(),
                rebound.nodes(order.equal()),
                rebound.ranges(order.ranges()),
                order.reverse(),
                order.missing(),
                order.exact(),
                order.predicates()),
        plan.sorted(),
        plan.nearest(),
        plan.covered(),
        plan.ends(),
        plan.skips(),
        plan.prefix(),
        rebound.vector(plan.vector()),
        plan.filters(),
        plan.ordering(),
        plan.rejected(),
        plan.notReady());
  }

  private @Nullable VectorScan vector(@Nullable VectorScan vector) {
    List<JsonNode> shards = vector == null ? null : vector.shards();
    return vector == null || shards == null ? vector : vector.withShards(nodes(shards));
  }

  private AccessPath access(AccessPath access) {
    if (access instanceof AccessPath.Scan scan) {
      return new AccessPath.Scan(
          scan.index(),
          nodes(scan.equal()),
          ranges(scan.ranges()),
          scan.accessClass(),
          scan.exact(),
          scan.test(),
          scan.predicates());
    }
    if (access instanceof AccessPath.Intersection both) {
      return new AccessPath.Intersection(all(both.parts()));
    }
    return access instanceof AccessPath.Union either
        ? new AccessPath.Union(all(either.parts()))
        : access;
  }

  private List<AccessPath> all(List<AccessPath> parts) {
    List<AccessPath> rebound = new ArrayList<>(parts.size());
    parts.forEach(part -> rebound.add(access(part)));
    return rebound;
  }

  private List<JsonNode> nodes(List<JsonNode> nodes) {
    List<JsonNode> rebound = new ArrayList<>(nodes.size());
    nodes.forEach(node -> rebound.add(values.getOrDefault(node, node)));
    return rebound;
  }

  private List<ValueRange> ranges(List<ValueRange> ranges) {
    List<ValueRange> rebound = new ArrayList<>(ranges.size());
    ranges.forEach(range -> rebound.add(range(range)));
    return rebound;
  }

  private ValueRange range(ValueRange range) {
    if (range instanceof ValueRange.Point point) {
      return new ValueRange.Point(values.getOrDefault(point.value(), point.value()));
    }
    return range instanceof ValueRange.Between between
        ? new ValueRange.Between(
            bound(between.low()),
            between.lowInclusive(),
            bound(between.high()),
            between.highInclusive())
        : range;
  }

  private @Nullable JsonNode bound(@Nullable JsonNode node) {
    return node == null ? null : values.getOrDefault(node, node);
  }
}
