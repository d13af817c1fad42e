package io.kvreactive.documents.internal.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.QueryOptions.PlannerMode;
import io.kvreactive.documents.internal.plan.Plan.IndexRejection;
import io.kvreactive.documents.internal.sql.QueryBinder;
import io.kvreactive.documents.internal.sql.Sql;
import io.kvreactive.documents.internal.store.IndexAvailability;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests which composite indexes serve a query in strict mode. */
class CompositeCasesTest {
  /** A line of planner/composites.txt. */
  record Case(String composites, String verdict, String rule, String query) {
    @Override
    public String toString() {
      return composites + " | " + query;
    }
  }

  static Stream<Case> cases() throws IOException {
    try (var in =
        Objects.requireNonNull(
            CompositeCasesTest.class.getResourceAsStream("/planner/composites.txt"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .filter(line -> !line.startsWith("#"))
              .map(line -> line.split(" *\\| *"))
              .map(parts -> new Case(parts[0], parts[1], parts[2], parts[3]))
              .toList()
              .stream();
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void matchesTheExpectedVerdict(Case row) {
    List<List<CompositePath>> composites = PlannedIndexes.composites(row.composites());
    check(row.query(), composites, row.verdict(), row.rule());
  }

  @Test
  void matchesTheSampleCases() throws IOException {
    Path file = find("shared/spec/index-cases.json");
    Assumptions.assumeTrue(file != null, "shared/spec/index-cases.json is not there");
    int checked = 0;
    for (JsonNode row : new ObjectMapper().readTree(Files.readAllBytes(file))) {
      if (!row.path("kind").asText().equals("composite")) {
        continue;
      }
      List<List<CompositePath>> composites = new ArrayList<>();
      for (JsonNode index : row.path("index")) {
        List<CompositePath> paths = new ArrayList<>();
        index.forEach(
            path ->
                paths.add(
                    new CompositePath(path.get("path").asText(), path.get("order").asText())));
        composites.add(paths);
      }
      String query = row.path("queryNormalised").asText(row.path("query").asText());
      check(query, composites, verdict(row), row.path("rule").asText());
      checked++;
    }
    assertThat(checked).isEqualTo(66);
  }

  private static String verdict(JsonNode row) {
    if (row.path("supported").booleanValue()) {
      return "served";
    }
    return switch (row.path("whenUnsupported").asText()) {
      case "error" -> "refused";
      case "range-index" -> "other";
      default -> "order only";
    };
  }

  private static void check(
      String query, List<List<CompositePath>> composites, String verdict, String rule) {
    IndexAvailability available =
        PlannedIndexes.of(IndexingPolicy.DEFAULT.withComposites(composites));
    Plan plan;
    try {
      plan =
          Planner.plan(
              QueryBinder.bind(Sql.parse(query), Map.of()),
              Map.of(),
              available,
              PlannerMode.STRICT,
              false);
    } catch (DocumentException e) {
      assertThat(e.code()).isEqualTo(DocumentErrorCode.ORDER_NOT_INDEXED);
      assertThat(e.detail()).startsWith(Planner.NO_COMPOSITE);
      assertThat(verdict).as(query).isEqualTo("refused");
      return;
    }
    long used =
        plan.indexes().stream()
            .filter(index -> index.kind().equals("composite"))
            .distinct()
            .count();
    List<String> rules = plan.rejected().stream().map(IndexRejection::rule).toList();
    switch (verdict) {
      case "served" -> {
        assertThat(used).as(query).isEqualTo(composites.size());
        assertThat(rules).isEmpty();
      }
      case "order only" -> {
        assertThat(plan.order()).as(query).isNotNull();
        assertThat(plan.order().index().kind()).isEqualTo("composite");
        assertThat(plan.order().equal()).isEmpty();
        assertThat(rules).containsExactly(rule);
      }
      case "other" -> {
        assertThat(used).as(query).isZero();
        assertThat(rules).hasSize(composites.size()).allMatch(rule::equals);
      }
      default -> throw new AssertionError(query + " is answered, but should be " + verdict);
    }
    assertThat(plan.rejected()).allMatch(rejection -> !rejection.reason().isBlank());
  }

  private static @Nullable Path find(String relative) {
    Path at = Path.of(System.getProperty("user.dir")).toAbsolutePath();
    while (at != null) {
      if (Files.isRegularFile(at.resolve(relative))) {
        return at.resolve(relative);
      }
      at = at.getParent();
    }
    return null;
  }
}
