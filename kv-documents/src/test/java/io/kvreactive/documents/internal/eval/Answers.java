package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.documents.internal.sql.QueryBinder;
import io.kvreactive.documents.internal.sql.Sql;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.EvaluationContext;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs queries over items given as JSON. */
final class Answers {
  static final EvaluationContext CONTEXT =
      new EvaluationContext() {
        @Override
        public Instant now() {
          return Instant.parse("2024-05-06T07:08:09.123456700Z");
        }

        @Override
        public Instant queryTime() {
          return Instant.parse("2024-05-06T07:08:09Z");
        }

        @Override
        public double random() {
          return 0.25;
        }

        @Override
        public long documentId() {
          return 0;
        }
      };

  private Answers() {}

  static Query bound(String query) {
    return QueryBinder.bind(Sql.parse(query), Map.of());
  }

  /** Returns the rows of a query over the items of a JSON array. */
  static List<JsonNode> of(String query, String items) {
    return InMemoryQuery.run(bound(query), json(items), CONTEXT);
  }

  static List<JsonNode> of(String query, String items, Map<String, JsonNode> parameters) {
    return InMemoryQuery.run(QueryBinder.bind(Sql.parse(query), parameters), json(items), CONTEXT);
  }

  /** Returns the rows as a JSON array. */
  static String text(String query, String items) {
    return Json.writeText(JsonNodeFactory.instance.arrayNode().addAll(of(query, items)));
  }

  /** Returns the value of an expression without names. */
  static JsonNode value(String expr) {
    List<JsonNode> rows = of("SELECT VALUE " + expr, "[]");
    return rows.isEmpty() ? Values.UNDEFINED : rows.get(0);
  }

  static List<JsonNode> json(String items) {
    List<JsonNode> list = new ArrayList<>();
    Json.parse(items).forEach(list::add);
    return list;
  }
}
