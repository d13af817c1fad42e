package io.kvreactive.index.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.QueryOptions;
import io.kvreactive.index.internal.eval.QueryProgram;
import io.kvreactive.index.internal.plan.Plan;
import io.kvreactive.index.internal.plan.PlanBinder;
import io.kvreactive.index.internal.plan.Planner;
import io.kvreactive.index.internal.sql.ParameterizableQuery;
import io.kvreactive.index.internal.sql.QueryBinder;
import io.kvreactive.index.internal.sql.ast.Query;
import io.kvreactive.index.internal.store.CollectionMetadata;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A query that is compiled and planned without the values of its parameters: these are texts or
 * numbers that paths are compared with, so that the plan is the same for all values of a type, but
 * for the values themselves. (Compiling and planning took two fifths of a point query.) For any
 * number of threads.
 */
final class PlanTemplate {
  private static final int MOST_PLANS = 16;

  private final Query normal;
  private final QueryProgram program;
  private final List<String> names;
  private final Map<Circumstances, Planned> plans = new ConcurrentHashMap<>();

  /** What a plan depends on. */
  private record Circumstances(
      String types, Versionstamp version, QueryOptions.PlannerMode mode, boolean forceScan) {}

  /** A plan, and what stands in it for parameters. */
  private record Planned(Plan plan, Map<String, JsonNode> stand) {}

  private PlanTemplate(Query bound, List<String> names) {
    this.normal = PreparedQuery.normal(bound);
    this.program = QueryProgram.of(bound);
    this.names = names;
  }

  /**
   * Null when values decide about more than where in an index to look.
   *
   * @throws io.kvreactive.index.QueryException INVALID_QUERY
   */
  static @Nullable PlanTemplate of(Query parsed) {
    if (!ParameterizableQuery.mayBeOpen(parsed)) {
      return null;
    }
    Query bound = QueryBinder.bindOpen(parsed);
    List<String> names = ParameterizableQuery.names(bound);
    return names == null ? null : new PlanTemplate(bound, names);
  }

  /**
   * @return null when a parameter is missing, or of another type
   */
  @Nullable PreparedQuery prepare(Map<String, JsonNode> parameters) {
    StringBuilder types = new StringBuilder(names.size());
    for (String name : names) {
      JsonNode value = parameters.get(name);
      if (value == null || !(value.isTextual() || isFinite(value))) {
        return null;
      }
      types.append(value.isTextual() ? 'T' : 'N');
    }
    String known = types.toString();
    return new PreparedQuery(
        normal, program.with(parameters), (view, how) -> plan(view, how, known, parameters));
  }

  private static boolean isFinite(JsonNode value) {
    return value.isNumber() && Double.isFinite(value.doubleValue());
  }

  private Plan plan(
      CollectionMetadata view, QueryOptions how, String types, Map<String, JsonNode> parameters) {
    Circumstances now =
        new Circumstances(types, view.versionstamp(), how.plannerMode(), how.forceScan());
    Planned known = plans.get(now);
    if (known == null) {
      Map<String, JsonNode> stand = new HashMap<>();
      for (String name : names) {
        stand.put(name, types.charAt(stand.size()) == 'T' ? new TextNode("") : new DoubleNode(0));
      }
      known =
          new Planned(
              Planner.plan(normal, stand, view.available(), how.plannerMode(), how.forceScan()),
              stand);
      if (plans.size() >= MOST_PLANS) { // of former policies
        plans.clear();
      }
      plans.put(now, known);
    }
    IdentityHashMap<JsonNode, JsonNode> values = new IdentityHashMap<>();
    known.stand().forEach((name, stand) -> values.put(stand, parameters.get(name)));
    return PlanBinder.plan(known.plan(), values);
  }
}
