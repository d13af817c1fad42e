package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.QueryException;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryOptions.PlannerMode;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.testing.Tries;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks that extremely large conditions return rows or fail with an error code. */
class HostileQueriesTest {
  private static final int TERMS = 6_000;
  private static final QueryStore STORE =
      new QueryStore(
          IndexingPolicy.DEFAULT.withComposite(
              CompositePath.ascending("/a"), CompositePath.ascending("/b")));

  @BeforeAll
  static void fill() {
    List<ObjectNode> documents = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      documents.add(
          (ObjectNode)
              Json.parse("{\"id\":\"%d\",\"a\":%d,\"b\":%d,\"c\":[%d]}".formatted(i, i, i % 7, i)));
    }
    STORE.fill(documents);
  }

  @AfterAll
  static void close() {
    STORE.close();
  }

  private static String joined(String operator, int terms, IntFunction<String> term) {
    return IntStream.range(0, terms).mapToObj(term).collect(Collectors.joining(operator));
  }

  static Stream<Arguments> answered() {
    return Stream.of(
        Arguments.of("one path", joined(" OR ", TERMS, i -> "c.a = " + i), 40),
        Arguments.of(
            "two paths", joined(" OR ", TERMS, i -> "c." + "ab".charAt(i % 2) + "=" + i), 29),
        Arguments.of("paths", joined(" OR ", TERMS, i -> "c.p" + i + " = 1") + " OR c.a = 3", -1),
        Arguments.of(
            "other paths", joined(" OR ", TERMS - 1, i -> "c.p" + i + "=1") + " OR c.a=3", 1),
        Arguments.of("ranges", joined(" OR ", TERMS, i -> "c.a > " + (i + 38)), 1),
        Arguments.of("tests", joined(" OR ", TERMS, i -> "CONTAINS(c.id, '" + i + "')"), 40),
        Arguments.of(
            "composites", joined(" OR ", 3_000, i -> "c.a = " + i + " AND c.b = " + i % 7), 40),
        Arguments.of("elements", joined(" OR ", TERMS, i -> "ARRAY_CONTAINS(c.c, " + i + ")"), 40),
        Arguments.of("lists", joined(" OR ", TERMS, i -> "c.a IN (" + i + ", 99)"), 40),
        Arguments.of("AND of ranges", joined(" AND ", TERMS, i -> "c.a > " + -i), 39),
        Arguments.of(
            "AND of unlike ranges",
            joined(" AND ", TERMS, i -> i % 2 == 0 ? "c.a > " + -i : "c.b < 'x'"),
            0),
        Arguments.of(
            "AND of ranges of two types",
            joined(" AND ", TERMS, i -> i % 2 == 0 ? "c.a > " + -i : "c.a < 'x'"),
            0),
        Arguments.of("AND of inequalities", joined(" AND ", TERMS, i -> "c.a != " + i), 0),
        Arguments.of("AND of paths", joined(" AND ", TERMS, i -> "c.p" + i + " != 1"), 0),
        Arguments.of(
            "AND of equal paths and ranges",
            joined(" AND ", TERMS, i -> "c.p" + i + (i % 2 == 0 ? " = 1" : " > 1")),
            0),
        Arguments.of(
            "AND of ranges of many paths",
            "c.a = 3 AND " + joined(" AND ", TERMS - 1, i -> "c.p" + i + ">1"),
            0),
        Arguments.of("AND of equalities", joined(" AND ", TERMS, i -> "c.a = 3"), 1),
        Arguments.of("AND of tests", joined(" AND ", TERMS, i -> "LENGTH(c.id) < " + (i + 3)), 40),
        Arguments.of("NOT", "NOT ".repeat(296) + "(c.a = 3)", 1),
        Arguments.of("list", "c.a IN (" + joined(",", TERMS, i -> "" + i) + ")", 40),
        Arguments.of("brackets", "(".repeat(100) + "c.a = 3" + ")".repeat(100), 1),
        Arguments.of(
            "layers",
            "(".repeat(98)
                + "c.a = 3"
                + " OR c.b = 99) AND (c.a = 3 OR c.b = 98)".repeat(49)
                + ")".repeat(49),
            1),
        Arguments.of("alternating", alternating(), 1));
  }

  private static String alternating() {
    StringBuilder text = new StringBuilder("c.a = 3");
    for (int i = 0; i < 45; i++) {
      text.insert(0, '(').append(" AND c.p").append(i).append(" != 7 OR c.a = 3)");
      text.insert(0, '(').append(" OR c.b = 77) AND c.b < 90");
    }
    return text.toString();
  }

  /** Returns the conditions with their numbers. */
  static Stream<Arguments> numbered() {
    AtomicInteger number = new AtomicInteger();
    return answered()
        .map(Arguments::get)
        .map(each -> Arguments.of(each[0], each[1], each[2], number.getAndIncrement()));
  }

  /** Returns all values; in the short form one of them, another one for the next number. */
  private static <T> List<T> some(List<T> all, int number) {
    int first = Tries.of(number % all.size(), 0);
    return all.subList(first, Tries.of(first + 1, all.size()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("numbered")
  void returnsRowsOrFailsWithACode(String name, String condition, int expected, int number) {
    for (PlannerMode mode : some(List.of(PlannerMode.values()), number)) {
      QueryOptions options = QueryOptions.DEFAULT.withPlannerMode(mode);
      for (String order : some(List.of("", " ORDER BY c.b"), number / 2)) {
        String sql = "SELECT VALUE c.id FROM c WHERE " + condition + order;
        try {
          List<JsonNode> rows = STORE.rows(sql, options);
          assertThat(rows).as(name + order).hasSize(expected);
        } catch (DocumentException e) {
          assertThat(expected).as(name + order + ": " + e.getMessage()).isEqualTo(-1);
          assertThat(e).isInstanceOf(QueryException.class);
        }
      }
    }
    if (expected >= 0) {
      String sql = "SELECT VALUE c.id FROM c WHERE " + condition;
      assertThat(STORE.items.explain(SqlQuery.of(sql)).block(QueryStore.PATIENCE)).isNotNull();
    }
  }

  static Stream<String> refused() {
    return Stream.of(
        joined(" OR ", 10_000, i -> "c.a = " + i),
        joined(" AND ", 10_000, i -> "c.a = " + i),
        "c.a IN (" + joined(",", 90_000, i -> "" + i) + ")",
        "(".repeat(20_000) + "c.a" + ")".repeat(20_000),
        "NOT ".repeat(20_000) + "c.a",
        "c.a = " + "-".repeat(500) + "1",
        "c" + ".a".repeat(20_000) + " = 1",
        "c.a = 1" + " + 1".repeat(20_000),
        "c.a = " + "[".repeat(5_000) + "]".repeat(5_000),
        "EXISTS(SELECT VALUE ".repeat(500) + "1" + ")".repeat(500));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void rejectsWithACode(String condition) {
    assertThatThrownBy(() -> STORE.rows("SELECT * FROM c WHERE " + condition, QueryOptions.DEFAULT))
        .isInstanceOfSatisfying(
            QueryException.class,
            e ->
                assertThat(e.code())
                    .isIn(DocumentErrorCode.LIMIT_EXCEEDED, DocumentErrorCode.INVALID_QUERY));
  }

  @Test
  void combinesPartsOfAnOrOnOnePath() {
    var plan =
        Objects.requireNonNull(
                STORE
                    .items
                    .explain(SqlQuery.of("SELECT * FROM c WHERE c.a = 1 OR c.a = 2"))
                    .block(QueryStore.PATIENCE))
            .plan();
    assertThat(plan.get("access")).hasSize(1);
    assertThat(plan.get("combine").asText()).isEqualTo("one");
    assertThat(plan.at("/access/0/range/ranges")).hasToString("[{\"eq\":1},{\"eq\":2}]");
    assertThat(plan.get("residual").isNull()).isTrue();
  }
}
