package io.kvreactive.documents.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.internal.eval.QueryProgram;
import io.kvreactive.documents.internal.plan.Plan;
import io.kvreactive.documents.internal.plan.PlanBinder;
import io.kvreactive.documents.internal.plan.Planner;
import io.kvreactive.documents.internal.plan.VectorArguments;
import io.kvreactive.documents.internal.policy.EmbeddingPolicy;
import io.kvreactive.documents.internal.sql.ParameterizableQuery;
import io.kvreactive.documents.internal.sql.QueryBinder;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A query that is compiled and planned without the values of its parameters. Each parameter is a
 * text or number compared with a path. The plan is therefore the same for all values of a type,
 * except for the values themselves. (Compiling and planning took two fifths of a point query.)
 * Thread-safe.
 */
final class PlanTemplate {
  private static final int MAX_PLANS = 16;

  private final Query normal;
  private final QueryProgram program;
  private final List<String> names;
  private final Map<PlanInputs, Planned> plans = new ConcurrentHashMap<>();

  /** The inputs on which a plan depends. */
  private record PlanInputs(
      String types, Versionstamp version, QueryOptions.PlannerMode mode, boolean forceScan) {}

  /** A plan and the placeholders that stand for the parameters. */
  private record Planned(Plan plan, Map<String, JsonNode> placeholders) {}

  private PlanTemplate(Query bound, List<String> names) {
    this.normal = PreparedQuery.normal(bound);
    this.program = QueryProgram.of(bound);
    this.names = names;
  }

  /**
   * Returns the template of a query, or null if parameter values decide more than key ranges.
   *
   * @throws io.kvreactive.documents.QueryException INVALID_QUERY if the query is invalid
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
   * Binds the parameters.
   *
   * @return the prepared query, or null if a parameter is missing or of another type
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
        normal,
        program.with(parameters),
        (metadata, queryOptions) -> plan(metadata, queryOptions, known, parameters));
  }

  private static boolean isFinite(JsonNode value) {
    return value.isNumber() && Double.isFinite(value.doubleValue());
  }

  private Plan plan(
      CollectionMetadata metadata,
      QueryOptions queryOptions,
      String types,
      Map<String, JsonNode> parameters) {
    PlanInputs now =
        new PlanInputs(
            types, metadata.versionstamp(), queryOptions.plannerMode(), queryOptions.forceScan());
    Planned known = plans.get(now);
    if (known == null) {
      VectorArguments.check(normal, EmbeddingPolicy.of(metadata.definition()));
      Map<String, JsonNode> placeholders = new HashMap<>();
      for (String name : names) {
        placeholders.put(
            name, types.charAt(placeholders.size()) == 'T' ? new TextNode("") : new DoubleNode(0));
      }
      known =
          new Planned(
              Planner.plan(
                  normal,
                  placeholders,
                  metadata.available(),
                  queryOptions.plannerMode(),
                  queryOptions.forceScan()),
              placeholders);
      if (plans.size() >= MAX_PLANS) { // the plans of former policies
        plans.clear();
      }
      plans.put(now, known);
    }
    IdentityHashMap<JsonNode, JsonNode> values = new IdentityHashMap<>(names.size());
    known
        .placeholders()
        .forEach((name, placeholder) -> values.put(placeholder, parameters.get(name)));
    return PlanBinder.plan(known.plan(), values);
  }
}
