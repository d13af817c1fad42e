package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.IndexingDirective;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.WriteOptions;
import io.kvreactive.documents.internal.value.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that DISTINCT of one property reads only a part of its index. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // tests that only read share a store
class SkipScanTest {
  private static final int ITEMS = 3_000;
  private static final String ALL = "[bergen, oslo, tromsø]";

  private @Nullable QueryStore filled;

  private static List<ObjectNode> people(String more) {
    List<ObjectNode> people = new ArrayList<>();
    for (int i = 0; i < ITEMS; i++) {
      String city = List.of("oslo", "bergen", "tromsø").get(i % 3);
      people.add(person(i, city, more));
    }
    return people;
  }

  private static ObjectNode person(int id, String city, String more) {
    return (ObjectNode)
        Json.parse("{\"id\":\"%d\",\"city\":\"%s\",\"n\":%d%s}".formatted(id, city, id, more));
  }

  private static List<String> texts(List<JsonNode> rows) {
    return rows.stream().map(JsonNode::asText).toList();
  }

  /** Opens a store of the engine under test. */
  QueryStore open(CollectionDefinition definition, DocumentStoreOptions options) {
    return new QueryStore(definition, options);
  }

  /** Returns a store that tests only read. */
  private QueryStore filled() {
    if (filled == null) {
      filled = open(CollectionDefinition.DEFAULT, DocumentStoreOptions.DEFAULT);
      filled.fill(people(""));
    }
    return filled;
  }

  @AfterAll
  void close() {
    if (filled != null) {
      filled.close();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "SELECT DISTINCT VALUE c.city FROM c; [bergen, oslo, tromsø]",
        "SELECT DISTINCT VALUE c.city FROM c ORDER BY c.city; [bergen, oslo, tromsø]",
        "SELECT DISTINCT VALUE c.city FROM c ORDER BY c.city DESC; [tromsø, oslo, bergen]",
        "SELECT DISTINCT VALUE c.city FROM c WHERE c.city > 'bergen'; [oslo, tromsø]",
        "SELECT DISTINCT VALUE c.city FROM c WHERE c.city >= @from ORDER BY c.city; [oslo, tromsø]",
        "SELECT DISTINCT VALUE c.city FROM c WHERE CONTAINS(c.city, 'o'); [oslo, tromsø]",
        "SELECT DISTINCT VALUE c.city FROM c WHERE LENGTH(c.city) > 4; [bergen, tromsø]",
        "SELECT DISTINCT VALUE c.city FROM c WHERE c.city != 'oslo' AND UPPER(c.city) != 'BERGEN';"
            + " [tromsø]",
        "SELECT DISTINCT VALUE c.city FROM c WHERE c.city IN ('oslo', 'rom', 'bergen');"
            + " [bergen, oslo]"
      })
  void readsFewEntriesAndNoItems(String sql, String rows) {
    QueryStore store = filled();
    SqlQuery query = SqlQuery.of(sql).with("from", "oslo");
    QueryPage<JsonNode> page = store.page(query);
    assertThat(texts(page.items())).hasToString(rows);
    assertThat(page.metrics().entriesRead()).isLessThan(100);
    assertThat(page.metrics().retrievedItems()).isZero();
    JsonNode plan =
        Objects.requireNonNull(store.items.explain(query).block(QueryStore.PATIENCE)).plan();
    assertThat(plan.get("distinct").asText()).isEqualTo("skipScan");
    assertThat(plan.get("covered").asBoolean()).isTrue();
    assertThat(plan.at("/aggregate/servedBy").isNull()).isTrue();
  }

  /**
   * An explicitly included path has an entry for every item, even for values that are not scalars.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "SELECT DISTINCT VALUE c.city FROM c; [[\"bergen\"], bergen, oslo, tromsø]; 2",
        "SELECT DISTINCT c.city FROM c;"
            + " [{\"city\":\"bergen\"}, {\"city\":\"oslo\"},"
            + " {\"city\":\"tromsø\"}, {\"city\":[\"bergen\"]}, {}]; 2",
        "SELECT DISTINCT c.city AS at FROM c WHERE c.city > 'c';"
            + " [{\"at\":\"oslo\"}, {\"at\":\"tromsø\"}]; 0"
      })
  void readsAnExplicitlyIncludedPath(String sql, String rows, int items) {
    IndexingPolicy alone =
        Definitions.parsePolicy(
            """
            {"includedPaths": [{"path": "/city/?"}], "excludedPaths": [{"path": "/*"}]}
            """);
    try (QueryStore store =
        open(
            CollectionDefinition.DEFAULT.withIndexingPolicy(alone), DocumentStoreOptions.DEFAULT)) {
      List<ObjectNode> people = people("");
      people.get(7).remove("city");
      people.get(8).putArray("city").add("bergen");
      store.fill(people);
      QueryPage<JsonNode> page = store.page(SqlQuery.of(sql));
      assertThat(
              page.items().stream()
                  .map(row -> row.isTextual() ? row.textValue() : row.toString())
                  .sorted()
                  .toList())
          .hasToString(rows);
      assertThat(page.metrics().entriesRead()).isLessThan(100);
      assertThat(page.metrics().retrievedItems()).isEqualTo(items);
    }
  }

  /** Without entries for absent values, the query searches for items without the property. */
  @Test
  void findsARowWithoutTheProperty() {
    try (QueryStore store = open(CollectionDefinition.DEFAULT, DocumentStoreOptions.DEFAULT)) {
      List<ObjectNode> people = people("");
      people.get(ITEMS - 1).remove("city");
      store.fill(people);
      assertThat(store.rows("SELECT DISTINCT c.city FROM c", QueryOptions.DEFAULT)).hasSize(4);
    }
  }

  /** A condition may match only some items of a value, or few items in all. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT DISTINCT VALUE c.city FROM c WHERE RAND() < 0.5",
        "SELECT DISTINCT VALUE c.city FROM c WHERE c.n > 10",
        "SELECT DISTINCT VALUE c.id FROM c WHERE c.id = '1' OR c.id = '2' ORDER BY c.id"
      })
  void scansForOtherQueries(String sql) {
    QueryStore store = filled();
    QueryPage<JsonNode> page = store.page(SqlQuery.of(sql));
    assertThat(page.items()).hasSizeBetween(2, 3);
    assertThat(page.metrics().entriesRead()).isLessThan(ITEMS);
    JsonNode plan =
        Objects.requireNonNull(store.items.explain(SqlQuery.of(sql)).block(QueryStore.PATIENCE))
            .plan();
    assertThat(plan.has("distinct")).isFalse();
  }

  @Test
  void readsDistinctValuesInLargeParts() {
    QueryStore store = filled();
    QueryPage<JsonNode> page =
        store.page(
            SqlQuery.of("SELECT DISTINCT VALUE c.n FROM c")
                .withOptions(QueryOptions.DEFAULT.withMaxItemCount(ITEMS)));
    assertThat(page.items()).hasSize(ITEMS).doesNotHaveDuplicates();
    assertThat(page.metrics().entriesRead()).isEqualTo(ITEMS);
  }

  @Test
  void continuesAfterTheLastValue() {
    QueryStore store = filled();
    SqlQuery query =
        SqlQuery.of("SELECT DISTINCT VALUE c.city FROM c ORDER BY c.city")
            .withOptions(QueryOptions.DEFAULT.withMaxItemCount(1));
    QueryPage<JsonNode> first = store.page(query);
    QueryPage<JsonNode> second =
        store.page(
            query.withOptions(
                query.options().withContinuation(Objects.requireNonNull(first.continuation()))));
    assertThat(texts(first.items())).containsExactly("bergen");
    assertThat(texts(second.items())).containsExactly("oslo");
    assertThat(second.metrics().entriesRead()).isLessThan(100);
    assertThat(texts(store.pages(query, () -> {}))).hasToString(ALL);
  }

  /** The first entry of a value may belong to an expired item that is not yet removed. */
  @Test
  void ignoresValuesOfExpiredItems() {
    Instant[] now = {Instant.parse("2026-01-01T00:00:00Z")};
    InstantSource clock = () -> now[0];
    DocumentStoreOptions kept = DocumentStoreOptions.DEFAULT.withClock(clock).withBackground(false);
    try (QueryStore store = open(CollectionDefinition.DEFAULT.withDefaultTtl(-1), kept)) {
      store.fill(
          List.of(
              person(1, "bergen", ",\"ttl\":10"),
              person(2, "bergen", ""),
              person(3, "oslo", ",\"ttl\":10"),
              person(4, "tromsø", "")));
      String sql = "SELECT DISTINCT VALUE c.city FROM c";
      for (String asked : List.of(sql, sql + " ORDER BY c.city", sql + " WHERE c.city > 'a'")) {
        now[0] = Instant.parse("2026-01-01T00:00:00Z");
        assertThat(texts(store.rows(asked, QueryOptions.DEFAULT))).as(asked).hasToString(ALL);
        now[0] = now[0].plus(Duration.ofMinutes(1));
        assertThat(texts(store.rows(asked, QueryOptions.DEFAULT)))
            .as(asked)
            .containsExactly("bergen", "tromsø");
      }
    }
  }

  /** Values without entries are omitted, even if expired items make the query read items. */
  @Test
  void ignoresValuesExcludedFromIndexes() {
    Instant[] now = {Instant.parse("2026-01-01T00:00:00Z")};
    DocumentStoreOptions kept =
        DocumentStoreOptions.DEFAULT.withClock(() -> now[0]).withBackground(false);
    try (QueryStore store = open(CollectionDefinition.DEFAULT.withDefaultTtl(-1), kept)) {
      store.fill(List.of(person(1, "bergen", ",\"ttl\":10"), person(2, "oslo", "")));
      store
          .items
          .create(
              person(3, "rom", ""), WriteOptions.DEFAULT.withDirective(IndexingDirective.EXCLUDE))
          .block(QueryStore.PATIENCE);
      for (String sql :
          List.of("SELECT DISTINCT VALUE c.city FROM c", "SELECT DISTINCT VALUE c.id FROM c")) {
        now[0] = Instant.parse("2026-01-01T00:00:00Z");
        assertThat(store.rows(sql, QueryOptions.DEFAULT)).as(sql).hasSize(2);
        now[0] = now[0].plus(Duration.ofMinutes(1));
        assertThat(store.rows(sql, QueryOptions.DEFAULT)).as(sql).hasSize(1);
      }
    }
  }
}
