package io.kvreactive.documents.internal.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.QueryException;
import io.kvreactive.documents.VectorEmbedding;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.documents.spi.EvaluationContext;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of VectorDistance over items in memory. */
class VectorDistanceTest {
  private static double score(String arguments) {
    JsonNode value = Answers.value("VectorDistance(" + arguments + ")");
    assertThat(value.isNumber()).as(arguments).isTrue();
    return value.doubleValue();
  }

  private static String options(String distance, String type) {
    return ", true, {distanceFunction: '" + distance + "', dataType: '" + type + "'}";
  }

  @ParameterizedTest
  @ValueSource(strings = {"float32", "float16", "int8", "uint8"})
  void computesScoresOfEachDataType(String type) {
    assertThat(score("[1,2,3], [4,5,6]" + options("dotproduct", type))).isEqualTo(32);
    assertThat(score("[1,2,3], [4,6,3]" + options("euclidean", type))).isEqualTo(5);
    assertThat(score("[3,4], [4,3]" + options("cosine", type))).isCloseTo(0.96, within(1e-12));
  }

  @Test
  void usesCosineByDefaultWithinItsRange() {
    assertThat(score("[1,0], [5,0]")).isEqualTo(1);
    assertThat(score("[1,0], [0,5]")).isEqualTo(0);
    assertThat(score("[1,0], [-2,0], false")).isEqualTo(-1);
    assertThat(score("[0.1,0.2,0.3], [0.1,0.2,0.3], true, {}")).isLessThanOrEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "vectordistance, 1",
    "VECTORDISTANCE, 1",
    "VectorDistance, 1",
  })
  void ignoresCaseOfTheName(String name, int score) {
    assertThat(Answers.value(name + "([2], [7])").doubleValue()).isEqualTo(score);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[1,2], [1]",
        "[], []",
        "[1], ['1']",
        "[1], [null]",
        "[1], [[1]]",
        "[1], 1",
        "1, [1]",
        "[1], null",
        "[1], {'0': 1}",
        "[1], undefined",
        "[0,0], [1,0]",
        "[1e39], [1]",
        "[-1e300], [1]",
        "[1], [1], 1",
        "[1], [1], undefined",
        "[1], [1], false, 1",
        "[1], [1], false, []",
        "[1], [1], false, {distanceFunction: 'manhattan'}",
        "[1], [1], false, {distanceFunction: 1}",
        "[1], [1], false, {dataType: 'float64'}",
        "[1], [1], false, {searchListSizeMultiplier: 0}",
        "[1], [1], false, {searchListSizeMultiplier: 101}",
        "[1], [1], false, {searchListSizeMultiplier: 1.5}",
      })
  void returnsNoScoreForInvalidArguments(String arguments) {
    assertThat(Answers.value("VectorDistance(" + arguments + ")").isMissingNode()).isTrue();
    assertThat(Answers.text("SELECT VALUE VectorDistance(" + arguments + ") FROM c", "[1]"))
        .isEqualTo("[]");
  }

  @Test
  void computesScoresOfHugeAndTinyNumbers() {
    String max = "3.4028234663852886e38";
    assertThat(score("[" + max + "," + max + "], [" + max + "," + max + "]"))
        .isCloseTo(1, within(1e-12));
    assertThat(score("[" + max + "], [-" + max + "]" + options("euclidean", "float32")))
        .isEqualTo(2 * (double) Float.MAX_VALUE);
    assertThat(score("[" + max + "], [" + max + "]" + options("dotproduct", "float32")))
        .isEqualTo((double) Float.MAX_VALUE * Float.MAX_VALUE);
    assertThat(score("[1e-45, 0], [1e-45, 0]")).isEqualTo(1);
    assertThat(score("[1e-300], [1]" + options("dotproduct", "float32"))).isZero();
    assertThat(score("[0.1], [0.1]" + options("euclidean", "float32"))).isZero();
  }

  @Test
  void rejectsMoreThan4096Elements() {
    assertThat(score(ones(4096) + "," + ones(4096) + options("dotproduct", "int8")))
        .isEqualTo(4096);
    assertThat(
            Answers.value("VectorDistance(" + ones(4097) + "," + ones(4097) + ")").isMissingNode())
        .isTrue();
  }

  private static String ones(int size) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    for (int i = 0; i < size; i++) {
      array.add(1);
    }
    return array.toString();
  }

  @Test
  void countsAStepPerElement() {
    long[] steps = {0};
    Budget counting =
        new Budget() {
          @Override
          public void step() {
            steps[0]++;
          }

          @Override
          public void hold(long bytes) {}

          @Override
          public void release(long bytes) {}
        };
    String query = "SELECT VALUE VectorDistance(c.v, c.v) FROM c";
    List<JsonNode> items = List.of(Json.parse("{\"v\":" + ones(3000) + "}"));
    InMemoryQuery.run(Answers.bound(query), items, Answers.CONTEXT, counting);
    assertThat(steps[0]).isBetween(3000L, 3100L);
  }

  // ---- ORDER BY

  private static final String ITEMS =
      """
      [{"id":"a","v":[1,0]},{"id":"b","v":[0,3]},{"id":"c","v":[-1,0]},{"id":"d","v":[1,1]},
       {"id":"e"},{"id":"f","v":[1,2,3]},{"id":"g","v":"x"}]""";

  private static String ids(String rest) {
    return Answers.text("SELECT VALUE c.id FROM c " + rest, ITEMS);
  }

  @Test
  void returnsTheClosestFirst() {
    assertThat(ids("ORDER BY VectorDistance(c.v, [1,0])")).isEqualTo("[\"a\",\"d\",\"b\",\"c\"]");
    assertThat(ids("ORDER BY VectorDistance([1,0], c.v, false, {distanceFunction:'dotproduct'})"))
        .isEqualTo("[\"a\",\"d\",\"b\",\"c\"]");
    assertThat(ids("ORDER BY VectorDistance(c.v, [0,2], true, {distanceFunction:'euclidean'})"))
        .isEqualTo("[\"b\",\"d\",\"a\",\"c\"]");
    assertThat(ids("WHERE VectorDistance(c.v, [1,0]) >= 0 ORDER BY VectorDistance(c.v, [1,0])"))
        .isEqualTo("[\"a\",\"d\",\"b\"]");
  }

  @Test
  void returnsTheClosestFirstInSubqueries() {
    assertThat(
            Answers.text(
                "SELECT VALUE ARRAY(SELECT VALUE x.n FROM x IN c.parts"
                    + " ORDER BY VectorDistance(x.v, [1,0])) FROM c",
                """
                [{"parts":[{"n":1,"v":[0,1]},{"n":2,"v":[4,0]},{"n":3}]}]"""))
        .isEqualTo("[[2,1]]");
    assertThat(
            Answers.text(
                "SELECT VALUE x.id FROM (SELECT TOP 2 c.id FROM c"
                    + " ORDER BY VectorDistance(c.v, [1,0])) x",
                ITEMS))
        .isEqualTo("[\"a\",\"d\"]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ASC", "DESC"})
  void rejectsDirections(String direction) {
    assertThatThrownBy(() -> ids("ORDER BY VectorDistance(c.v, [1,0]) " + direction))
        .isInstanceOf(QueryException.class)
        .hasMessageContaining("ORDER BY VectorDistance takes neither ASC nor DESC");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ORDER BY VectorDistance(c.v, [1,0]), c.id",
        "ORDER BY c.id DESC, VectorDistance(c.v, [1,0])",
        "ORDER BY VectorDistance(c.v, [1,0]), VectorDistance(c.v, [0,1])",
      })
  void rejectsOtherOrderItems(String order) {
    assertThatThrownBy(() -> ids(order))
        .isInstanceOf(QueryException.class)
        .hasMessageContaining("cannot be combined");
  }

  @Test
  void rejectsOtherExpressions() {
    assertThatThrownBy(() -> ids("ORDER BY 1 - VectorDistance(c.v, [1,0])"))
        .isInstanceOf(QueryException.class)
        .hasMessageContaining("could not be mapped to a document path");
    assertThatThrownBy(() -> ids("ORDER BY VectorDistance(c.v)"))
        .isInstanceOf(QueryException.class)
        .hasMessageContaining("requires 2 to 4 argument(s)");
  }

  // ---- embeddings

  private static final EvaluationContext EMBEDDED =
      new EvaluationContext() {
        private final Map<String, VectorEmbedding> embeddings =
            Map.of(
                "/v", new VectorEmbedding("/v", "float32", 2, "euclidean"),
                "/in/w", new VectorEmbedding("/in/w", "int8", 2, "dotproduct"),
                "/row/v", new VectorEmbedding("/row/v", "int8", 2, "dotproduct"));

        @Override
        public Instant now() {
          return Instant.EPOCH;
        }

        @Override
        public Instant queryTime() {
          return Instant.EPOCH;
        }

        @Override
        public double random() {
          return 0;
        }

        @Override
        public long documentId() {
          return 0;
        }

        @Override
        public VectorEmbedding vectorEmbedding(String path) {
          return embeddings.get(path);
        }
      };

  private static String embedded(String query) {
    String item = "{\"v\":[3,4],\"in\":{\"w\":[3,4]},\"u\":[3,4],\"l\":[{\"v\":[3,4]}]}";
    ArrayNode rows = JsonNodeFactory.instance.arrayNode();
    InMemoryQuery.run(Answers.bound(query), List.of(Json.parse(item)), EMBEDDED).forEach(rows::add);
    return rows.toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SELECT VALUE VectorDistance(c.v, [0,0]) FROM c | [5]",
        "SELECT VALUE VectorDistance([0,0], c.v) FROM c | [5]",
        "SELECT VALUE VectorDistance(c['v'], [0,0]) FROM c | [5]",
        "SELECT VALUE VectorDistance(c.in.w, [1,1]) FROM c | [7]",
        "SELECT VALUE VectorDistance(x.w, [1,1]) FROM x IN c.l | []",
        "SELECT VALUE VectorDistance(x.w, [1,1]) FROM c.in x | [7]",
        "SELECT VALUE VectorDistance(w, [1,1]) FROM c JOIN (SELECT VALUE c.in.w) w | [0.98]",
        "SELECT VALUE VectorDistance(x.v, [1,1]) FROM c JOIN x IN c.l | [0.98]",
        "SELECT VALUE VectorDistance(c.u, [1,1]) FROM c | [0.98]",
        "SELECT VALUE (SELECT VALUE VectorDistance(c.v, [0,0])) FROM c | [5]",
        "SELECT VALUE (SELECT VALUE VectorDistance(c.u, [1,1]) FROM (SELECT c.u) c) FROM c"
            + " | [0.98]",
        "SELECT VALUE VectorDistance(x.v, [1,1]) FROM (SELECT TOP 1 c.v FROM c) x | [0.98]",
        "SELECT VALUE VectorDistance(c.v, c.in.w) FROM c | [0]",
        "SELECT VALUE VectorDistance(c.in.w, c.v) FROM c | [25]",
        "SELECT VALUE VectorDistance(c.v, [1,1], true, {distanceFunction:'cosine'}) FROM c"
            + " | [0.98]",
      })
  void usesTheEmbeddingOfThePathByDefault(String query, String rows) {
    String found = embedded(query.strip());
    assertThat(found.replaceAll("0\\.98\\d+", "0.98")).isEqualTo(rows.strip());
  }

  @Test
  void omitsVectorsOfAnotherLengthThanTheEmbedding() {
    ObjectNode item = (ObjectNode) Json.parse("{\"v\":[3,4,5]}");
    assertThat(
            InMemoryQuery.run(
                Answers.bound("SELECT VALUE VectorDistance(c.v, [1,1,1]) FROM c"),
                List.of(Objects.requireNonNull(item)),
                EMBEDDED))
        .isEmpty();
  }
}
