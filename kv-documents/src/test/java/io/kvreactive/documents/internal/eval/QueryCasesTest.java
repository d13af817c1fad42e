package io.kvreactive.documents.internal.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.QueryException;
import io.kvreactive.documents.internal.value.Values;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Runs the sample queries whose result does not depend on an index. */
class QueryCasesTest {
  /** Excluded samples and the reasons. */
  private static final Map<String, String> NOT_HERE =
      Map.of(
          "sample:st-area", "functions of kv-spatial, which SpecificationCasesTest of kv-web has",
          "sample:st-intersect",
              "functions of kv-spatial, which SpecificationCasesTest of kv-web has",
          "sample:st-isvaliddetailed",
              "functions of kv-spatial, which SpecificationCasesTest of kv-web has",
          "docs:order-wildcard-only", "stated difference: undefined values are ordered, first",
          "docs:order-excluded-path", "an error of the indexing policy, not of the query",
          "docs:mode-none-by-id", "an answer of the indexing policy, not of the query");

  @TestFactory
  Stream<DynamicTest> matchesSampleResults() throws IOException {
    Path file = QueryCases.find();
    if (file == null) {
      return Stream.of(
          DynamicTest.dynamicTest(
              "skipped",
              () ->
                  abort(
                      "There are no sample queries: "
                          + QueryCases.FILE
                          + " is in none of the directories around "
                          + Path.of("").toAbsolutePath())));
    }
    return QueryCases.read(file).stream()
        .map(sample -> DynamicTest.dynamicTest(sample.get("id").textValue(), () -> check(sample)));
  }

  private static void check(JsonNode sample) {
    String reason = NOT_HERE.get(sample.get("id").textValue());
    if (reason != null) {
      abort(reason);
    }
    String query = sample.get("query").textValue();
    List<JsonNode> items = list(sample.get("docs"));
    if (sample.has("expectError")) {
      assertThatThrownBy(() -> InMemoryQuery.run(Answers.bound(query), items, Answers.CONTEXT))
          .isInstanceOf(QueryException.class)
          .hasMessageContaining(sample.get("expectError").path("contains").asText());
      return;
    }
    List<JsonNode> rows = InMemoryQuery.run(Answers.bound(query), items, Answers.CONTEXT);
    List<JsonNode> expected = list(sample.get("expect"));
    if (!sample.get("compare").textValue().equals("exact")) {
      rows = sorted(rows);
      expected = sorted(expected);
    }
    double tolerance = sample.path("tolerance").asDouble(0);
    assertThat(rows).as(query).hasSameSizeAs(expected);
    for (int i = 0; i < rows.size(); i++) {
      assertThat(same(rows.get(i), expected.get(i), tolerance))
          .as("%s: %s (expected: %s)", query, rows.get(i), expected.get(i))
          .isTrue();
    }
  }

  private static List<JsonNode> list(JsonNode array) {
    List<JsonNode> list = new ArrayList<>();
    array.forEach(list::add);
    return list;
  }

  private static List<JsonNode> sorted(List<JsonNode> rows) {
    return rows.stream().sorted(Values::compare).toList();
  }

  /**
   * Returns true if two values are equal, in any order of members and within a relative tolerance
   * of numbers.
   */
  private static boolean same(JsonNode a, JsonNode b, double tolerance) {
    if (a.isNumber() && b.isNumber() && tolerance > 0) {
      return Math.abs(a.doubleValue() - b.doubleValue()) <= tolerance * Math.abs(b.doubleValue());
    } else if (a.isContainerNode() && a.getNodeType() == b.getNodeType() && a.size() == b.size()) {
      for (Iterator<String> names = a.fieldNames(); names.hasNext(); ) {
        String name = names.next();
        if (!b.has(name) || !same(a.get(name), b.get(name), tolerance)) {
          return false;
        }
      }
      for (int i = 0; a.isArray() && i < a.size(); i++) {
        if (!same(a.get(i), b.get(i), tolerance)) {
          return false;
        }
      }
      return true;
    }
    return Values.equal(a, b);
  }
}
