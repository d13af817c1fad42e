package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.QueryOptions;
import io.kvreactive.index.SqlQuery;
import io.kvreactive.web.internal.rest.JsonFields;
import io.kvreactive.web.internal.rest.StrictJson;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A query of a request.
 *
 * @param explain true if the response contains the plan besides the rows
 * @param explainOnly true if the response contains the plan instead of the rows
 */
public record QueryJson(SqlQuery query, boolean explain, boolean explainOnly) {
  private static final String ONLY = "only";

  /** Maximum size in bytes of a page of rows, which is held as a whole until it is sent. */
  private static final int MAX_PAGE_BYTES = 16 << 20;

  /**
   * Parses a query.
   *
   * @throws io.kvreactive.web.WebException BAD_REQUEST
   */
  public static QueryJson of(JsonNode body) {
    return of(
        JsonFields.of(
            body,
            "body",
            "query",
            "parameters",
            "maxItemCount",
            "maxPageBytes",
            "continuation",
            "explain",
            "plannerMode",
            "forceScan",
            "enableScan",
            CollectionParams.PARTITION));
  }

  /**
   * Parses the query of a delete.
   *
   * @throws io.kvreactive.web.WebException BAD_REQUEST
   */
  public static SqlQuery ofDelete(JsonNode body) {
    QueryJson json = of(body);
    if (json.explain || json.explainOnly) {
      throw StrictJson.bad("explain (expected: none, for deletes)");
    }
    return json.query;
  }

  private static QueryJson of(JsonFields fields) {
    QueryOptions options = QueryOptions.DEFAULT;
    if (fields.has("maxItemCount")) {
      options = options.withMaxItemCount((int) fields.whole("maxItemCount", 1, 1, 100_000));
    }
    if (fields.has("maxPageBytes")) {
      options = options.withMaxPageBytes(fields.whole("maxPageBytes", 1, 1, MAX_PAGE_BYTES));
    }
    if (fields.has("continuation") && !fields.json("continuation").isNull()) {
      options = options.withContinuation(fields.text("continuation"));
    }
    if (fields.has("plannerMode")) {
      options = options.withPlannerMode(mode(fields.text("plannerMode")));
    }
    if (fields.has(CollectionParams.PARTITION)) {
      options =
          options.withPartitionKey(PartitionKeyJson.key(fields.json(CollectionParams.PARTITION)));
    }
    options =
        options
            .withForceScan(fields.flag("forceScan"))
            .withEnableScan(!fields.has("enableScan") || fields.flag("enableScan"));
    boolean only = fields.has("explain") && fields.json("explain").asText().equals(ONLY);
    return new QueryJson(
        new SqlQuery(fields.text("query"), parameters(fields), options),
        !only && fields.flag("explain"),
        only);
  }

  /** Returns a query on behalf of a caller, for a fair share of the workers. */
  public static SqlQuery of(SqlQuery query, String caller) {
    return query.withOptions(query.options().withCaller(caller));
  }

  private static QueryOptions.PlannerMode mode(String text) {
    return switch (text) {
      case "strict" -> QueryOptions.PlannerMode.STRICT;
      case "extended" -> QueryOptions.PlannerMode.EXTENDED;
      default ->
          throw StrictJson.bad(
              "plannerMode: \"%s\" (expected: strict or extended)"
                  .formatted(StrictJson.excerpt(text)));
    };
  }

  private static Map<String, @Nullable Object> parameters(JsonFields fields) {
    Map<String, @Nullable Object> parameters = new LinkedHashMap<>();
    if (fields.has("parameters")) {
      int index = 0;
      for (JsonNode each : fields.elements("parameters")) {
        JsonFields one = JsonFields.of(each, "parameters[" + index++ + "]", "name", "value");
        parameters.put(one.text("name"), one.json("value"));
      }
    }
    return parameters;
  }
}
