package io.kvreactive.documents.internal.plan;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.TransformationProgress;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.plan.Plan.IndexRejection;
import io.kvreactive.documents.internal.sql.OperatorChains;
import io.kvreactive.documents.internal.sql.ScoreOrderRules;
import io.kvreactive.documents.internal.sql.SqlPrinter;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.store.CachedNeighborIndex;
import io.kvreactive.documents.internal.store.IndexAvailability;
import io.kvreactive.documents.internal.store.IndexAvailability.NotReady;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes plans as JSON, in the format of docs/query.md. */
public final class PlanExplainer {
  /**
   * The estimated number of entries that a scan reads.
   *
   * @param entries the number of entries counted
   * @param more true if there are more entries
   */
  public record ScanEstimate(long entries, boolean more) {}

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private static final String UNBOUNDED_VECTOR_ORDER =
      "ORDER BY VectorDistance without TOP or LIMIT sorts all items that the conditions leave, and"
          + " no vector index serves it. Add TOP n or OFFSET m LIMIT n.";

  private PlanExplainer() {}

  /** Returns true if a query sorts by VectorDistance and does not bound the number of rows. */
  private static boolean isUnboundedVectorOrder(Query query) {
    return ScoreOrderRules.isIn(query)
        && ScoreOrderRules.isVectorDistance(query.orderBy().get(0).expr())
        && query.select().top() == null
        && query.limit() == null;
  }

  /**
   * Returns the explanation of a plan.
   *
   * @param text the original text of the query
   */
  public static ObjectNode plan(String text, Query query, Plan plan, int policyVersion) {
    ObjectNode out = JSON.objectNode();
    out.put("query", text);
    out.put("policyVersion", policyVersion);
    out.put("plannerMode", plan.mode().name().toLowerCase(Locale.ROOT));
    ArrayNode access = out.putArray("access");
    scans(plan).forEach(scan -> access.add(scan(scan)));
    out.put("combine", combine(plan));
    out.put("class", plan.accessClass().text());
    out.put("covered", plan.covered());
    String residual = residual(query.where(), plan);
    out.put("residual", residual);
    order(out, plan);
    out.putObject("aggregate")
        .put(
            "servedBy",
            plan.covered() && !plan.skips()
                ? plan.filter() instanceof AccessPath.Scan scan ? scan.index().name() : "items"
                : null);
    if (plan.skips() && query.select().distinct()) {
      out.put("distinct", "skipScan");
    }
    if (!query.groupBy().isEmpty()) {
      out.put("groupBy", plan.prefix() == 0 ? "memory" : plan.skips() ? "skipScan" : "indexOrder");
    }
    MinMaxScan ends = plan.ends();
    if (ends != null) {
      ((ObjectNode) out.get("aggregate"))
          .put("reads", ends.first() ? ends.last() ? "firstAndLast" : "first" : "last");
    }
    ArrayNode rejected = out.putArray("rejected");
    for (IndexRejection rejection : plan.rejected()) {
      ObjectNode one =
          rejected
              .addObject()
              .put("index", rejection.index().name())
              .put("rule", rejection.rule())
              .put("reason", rejection.reason());
      rejection.index().spec().forEach(one.putArray("spec")::add);
    }
    ArrayNode notReady = out.putArray("notReady");
    for (NotReady missing : plan.notReady()) {
      ObjectNode one =
          notReady
              .addObject()
              .put("index", missing.index())
              .put("state", missing.state().name().toLowerCase(Locale.ROOT));
      if (missing.definition() != null) {
        one.put("definition", missing.definition());
      }
    }
    if (isUnboundedVectorOrder(query)) {
      out.putArray("advice").add(UNBOUNDED_VECTOR_ORDER);
    }
    return out;
  }

  /** Returns the scans in the explanation, in the order of {@code access}. */
  public static List<AccessPath.Scan> scans(Plan plan) {
    List<AccessPath.Scan> scans = new ArrayList<>();
    AccessPath.Scan ordered = ordered(plan);
    if (ordered != null) {
      scans.add(ordered);
    }
    scans.addAll(plan.filter().scans());
    return scans;
  }

  /**
   * Returns the scan of the index that gives the order; null beside a union, of which it would seem
   * a part.
   */
  private static AccessPath.@Nullable Scan ordered(Plan plan) {
    OrderScan order = plan.order();
    return order == null || plan.filter() instanceof AccessPath.Union ? null : order.found();
  }

  /**
   * Adds the estimated number of entries read.
   *
   * @param explained the result of {@link #plan}
   * @param estimates the estimates of the first {@link #scans}
   */
  public static void estimate(ObjectNode explained, List<ScanEstimate> estimates) {
    for (int i = 0; i < estimates.size(); i++) {
      ((ObjectNode) explained.withArray("access").get(i))
          .put("estimatedEntries", estimates.get(i).entries())
          .put("estimatedMore", estimates.get(i).more());
    }
  }

  /**
   * Adds the number of candidates, the number of vectors in the in-memory structure, and if the
   * structure answers queries already. For an index with shards, adds the number of structures that
   * are searched: one for each large shard of the condition, and one for all small shards together.
   *
   * @param neighbors the structure, or null if there is none
   */
  public static void neighbors(
      ObjectNode explained, VectorScan vector, @Nullable CachedNeighborIndex neighbors) {
    ObjectNode order = explained.withObject("orderBy");
    if (vector.index().isSharded()) {
      order.put("structures", neighbors == null ? 0 : neighbors.structures(vector.shardNumbers()));
    }
    order
        .put("candidatesPerRow", vector.candidatesPerRow())
        .put("ready", neighbors != null && neighbors.isReady())
        .put("vectorsInMemory", neighbors == null ? 0 : neighbors.size());
  }

  /**
   * Adds the partition key to which the query is restricted.
   *
   * @param isComplete false if further values of the key are open
   */
  public static void partition(ObjectNode explained, List<JsonNode> values, boolean isComplete) {
    ObjectNode partition = explained.putObject("partition");
    values.forEach(partition.putArray("key")::add);
    partition.put("prefix", !isComplete);
  }

  /** Adds the progress of indexes that are not ready, and the reasons of failures. */
  public static void progress(ObjectNode explained, TransformationProgress progress) {
    for (JsonNode missing : explained.withArray("notReady")) {
      for (TransformationProgress.Job job : progress.jobs()) {
        if (job.index().equals(missing.get("index").asText())
            && job.state().name().equalsIgnoreCase(missing.get("state").asText())) {
          long percent = job.total() == 0 ? 0 : Math.min(99, 100 * job.done() / job.total());
          ((ObjectNode) missing).put("progress", percent);
          if (job.error() != null) {
            ((ObjectNode) missing).put("error", job.error());
          }
        }
      }
    }
  }

  private static String combine(Plan plan) {
    AccessPath access = plan.filter();
    if (access instanceof AccessPath.Union) {
      return "union";
    }
    return switch (scans(plan).size()) {
      case 0 -> access instanceof AccessPath.Empty ? "nothing" : "everything";
      case 1 -> "one";
      default -> "intersection";
    };
  }

  private static ObjectNode scan(AccessPath.Scan scan) {
    checkpoint();
    ObjectNode out = JSON.objectNode();
    out.put("index", scan.index().name());
    out.put("kind", scan.index().kind());
    out.put("class", scan.accessClass().text());
    ArrayNode spec = out.putArray("spec");
    scan.index().spec().forEach(spec::add);
    out.set("range", ranges(scan.equal(), scan.ranges()));
    if (scan.test() != null) {
      out.put("test", SqlPrinter.print(scan.test().expr()));
    }
    out.put("exact", scan.exact());
    return out;
  }

  /** Returns the ranges of a scan. */
  public static ObjectNode ranges(List<JsonNode> equal, List<ValueRange> ranges) {
    ObjectNode out = JSON.objectNode();
    ArrayNode values = out.putArray("eq");
    equal.forEach(values::add);
    if (ranges.size() == 1 && ranges.get(0) instanceof ValueRange.Point point) {
      values.add(point.value());
      return out;
    }
    if (ranges.size() == 1 && ranges.get(0) instanceof ValueRange.Between between) {
      out.set("from", bound(between.low(), between.lowInclusive()));
      out.set("to", bound(between.high(), between.highInclusive()));
      return out;
    }
    if (!ranges.isEmpty()) {
      ArrayNode all = out.putArray("ranges");
      ranges.forEach(range -> all.add(range(range)));
    }
    return out;
  }

  private static JsonNode bound(@Nullable JsonNode value, boolean inclusive) {
    return value == null ? JSON.nullNode() : JSON.arrayNode().add(value).add(inclusive);
  }

  private static ObjectNode range(ValueRange range) {
    checkpoint();
    ObjectNode out = JSON.objectNode();
    if (range instanceof ValueRange.Point point) {
      out.set("eq", point.value());
    } else if (range instanceof ValueRange.Between between) {
      out.set("from", bound(between.low(), between.lowInclusive()));
      out.set("to", bound(between.high(), between.highInclusive()));
    } else if (range instanceof ValueRange.Prefix prefix) {
      out.put("startsWith", prefix.text());
    } else if (range instanceof ValueRange.Types types) {
      ArrayNode names = out.putArray("types");
      for (ValueRange.ValueType type : ValueRange.ValueType.values()) {
        if (type.compareTo(types.from()) >= 0 && type.compareTo(types.to()) <= 0) {
          names.add(type.name().toLowerCase(Locale.ROOT));
        }
      }
    } else if (range instanceof ValueRange.Except except) {
      except.values().forEach(out.putArray("except")::add);
    }
    return out;
  }

  private static void order(ObjectNode out, Plan plan) {
    ObjectNode order = out.putObject("orderBy");
    OrderScan scan = plan.order();
    VectorScan vector = plan.vector();
    if (vector != null) {
      order.put("servedBy", vector.name());
      order.put("kind", vector.index().definition().type());
      order.putArray("spec").add(vector.index().path().text());
      order.put("distanceFunction", vector.metric().text());
      IndexPath shardPath = vector.index().shardPath();
      if (shardPath != null) {
        order.put("shardPath", shardPath.text());
        List<JsonNode> shards = vector.shards();
        if (shards != null) {
          shards.forEach(order.putArray("shards")::add);
        }
      }
      if (vector.index().isApproximate()) {
        order.put("approximate", vector.isApproximate());
      }
      return;
    }
    if (scan == null) {
      NearestScan nearest = plan.nearest();
      order.put(
          "servedBy",
          nearest != null
              ? IndexAvailability.terms(nearest.index())
              : plan.sorted() ? "sort" : null);
      if (nearest != null) {
        order.put("nearestFirst", true);
      }
      return;
    }
    order.put("servedBy", scan.index().name());
    scan.index().spec().forEach(order.putArray("spec")::add);
    order.set("range", ranges(scan.equal(), scan.ranges()));
    order.put("reverse", scan.reverse());
    order.put("missing", scan.missing().name().toLowerCase(Locale.ROOT));
  }

  /**
   * Returns the residual: the conditions that indexes do not decide; null if indexes decide all.
   */
  private static @Nullable String residual(@Nullable Expr where, Plan plan) {
    List<Expr> left = new ArrayList<>();
    conjuncts(where, left);
    left.removeAll(decided(plan));
    return left.isEmpty() ? null : SqlPrinter.print(OperatorChains.of(Expr.BinaryOp.AND, left));
  }

  private static Set<Expr> decided(Plan plan) {
    Set<Expr> decided = new HashSet<>();
    List<AccessPath> parts =
        plan.filter() instanceof AccessPath.Intersection both
            ? both.parts()
            : List.of(plan.filter());
    for (AccessPath part : parts) {
      if (part instanceof AccessPath.Scan scan && scan.exact()) {
        scan.predicates().forEach(predicate -> decided.add(predicate.expr()));
      }
    }
    VectorScan vector = plan.vector();
    if (vector != null) {
      vector.fixedBy().stream()
          .filter(Predicate::tight)
          .forEach(predicate -> decided.add(predicate.expr()));
    }
    OrderScan order = plan.order();
    if (order != null && order.exact()) {
      order.predicates().forEach(predicate -> decided.add(predicate.expr()));
    }
    return decided;
  }

  private static void conjuncts(@Nullable Expr expr, List<Expr> out) {
    checkpoint();
    if (expr instanceof Expr.Binary binary && binary.op() == Expr.BinaryOp.AND) {
      conjuncts(binary.left(), out);
      conjuncts(binary.right(), out);
    } else if (expr != null) {
      out.add(expr);
    }
  }
}
