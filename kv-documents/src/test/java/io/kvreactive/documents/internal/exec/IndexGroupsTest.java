package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.internal.value.DeepKey;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.testing.ShortTries;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of GROUP BY, DISTINCT and aggregates that indexes answer. */
class IndexGroupsTest {
  private static final int ITEMS = 2_000;

  private static final IndexingPolicy POLICY =
      IndexingPolicy.DEFAULT
          .withIncluded("/city/?")
          .withComposite(
              CompositePath.ascending("/country"),
              CompositePath.descending("/city"),
              CompositePath.ascending("/n"));

  private static ObjectNode person(int i) {
    ObjectNode person = (ObjectNode) Json.parse("{\"id\":\"" + i + "\"}");
    person.put("country", i % 2 == 0 ? "no" : "se").put("city", "city " + i % 10).put("n", i);
    return person;
  }

  /** Opens a store of the engine under test. */
  QueryStore open(CollectionDefinition definition, DocumentStoreOptions options) {
    return new QueryStore(definition, options);
  }

  private QueryStore open(IndexingPolicy policy) {
    return open(
        CollectionDefinition.DEFAULT.withIndexingPolicy(policy), DocumentStoreOptions.DEFAULT);
  }

  private QueryStore filled() {
    QueryStore store = open(POLICY);
    store.fill(IntStream.range(0, ITEMS).mapToObj(IndexGroupsTest::person).toList());
    return store;
  }

  private static JsonNode plan(QueryStore store, String sql) {
    return Objects.requireNonNull(store.items.explain(SqlQuery.of(sql)).block(QueryStore.PATIENCE))
        .plan();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // groupBy; served by; maximum number of entries; rows
        "SELECT c.city, COUNT(1) AS n FROM c GROUP BY c.city; indexOrder; range:/city/?; 2000; 10",
        "SELECT c.city FROM c GROUP BY c.city; skipScan; ; 200; 10",
        "SELECT c.country, MAX(c.n) AS n FROM c GROUP BY c.country; indexOrder; composite#1; 2000;"
            + " 2",
        "SELECT c.city, c.country, COUNTIF(c.n > 5) AS n FROM c GROUP BY c.city, c.country;"
            + " indexOrder; composite#1; 2000; 10",
        "SELECT c.country, c.city FROM c GROUP BY c.city, c.country; skipScan; ; 200; 10",
        "SELECT c.city, COUNT(1) AS n FROM c WHERE c.city > 'city 2' GROUP BY c.city; indexOrder;"
            + " range:/city/?; 1400; 7",
        "SELECT c.n, COUNT(1) AS k FROM c GROUP BY c.n; memory; composite#1; 2000; 2000",
        "SELECT c.country, LENGTH(c.city) AS l, COUNT(1) AS k FROM c"
            + " GROUP BY c.country, LENGTH(c.city); memory; composite#1; 2000; 2",
      })
  void readEntriesAndNoItems(String sql, String groupBy, String servedBy, int entries, int rows) {
    try (QueryStore store = filled()) {
      QueryPage<JsonNode> page =
          store.page(SqlQuery.of(sql).withOptions(QueryOptions.DEFAULT.withMaxItemCount(5_000)));
      assertThat(page.items()).hasSize(rows);
      assertThat(page.metrics().retrievedItems()).isZero();
      assertThat(page.metrics().entriesRead()).isLessThanOrEqualTo(entries);
      JsonNode plan = plan(store, sql);
      assertThat(plan.get("groupBy").asText()).isEqualTo(groupBy);
      assertThat(plan.at("/aggregate/servedBy").textValue()).isEqualTo(servedBy);
    }
  }

  @Test
  void skipEntriesForDistinctFieldsOfACompositeIndex() {
    String sql = "SELECT DISTINCT c.country, c.city FROM c";
    try (QueryStore store = filled()) {
      QueryPage<JsonNode> page = store.page(SqlQuery.of(sql));
      assertThat(page.items()).hasSize(10);
      assertThat(page.metrics().retrievedItems()).isZero();
      assertThat(page.metrics().entriesRead()).isLessThan(200);
      assertThat(plan(store, sql).get("distinct").asText()).isEqualTo("skipScan");
    }
  }

  @Test
  void holdOneGroupAtATime() {
    QueryOptions little = QueryOptions.DEFAULT.withMemoryBytes(64 << 10).withMaxItemCount(5_000);
    IndexingPolicy policy =
        POLICY.withComposite(CompositePath.ascending("/n"), CompositePath.ascending("/city"));
    String sql = "SELECT c.n, COUNT(1) AS k FROM c GROUP BY c.n";
    try (QueryStore store = filled()) {
      assertThatThrownBy(() -> store.rows(sql, little))
          .isInstanceOfSatisfying(
              DocumentException.class,
              e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.QUERY_BUDGET_EXCEEDED));
    }
    try (QueryStore store = open(policy)) {
      store.fill(IntStream.range(0, ITEMS).mapToObj(IndexGroupsTest::person).toList());
      assertThat(store.rows(sql, little)).hasSize(ITEMS);
    }
  }

  @Test
  void endWithTheLastGroupWanted() {
    try (QueryStore store = filled()) {
      QueryPage<JsonNode> page =
          store.page(
              SqlQuery.of("SELECT c.city, COUNT(1) AS n FROM c GROUP BY c.city OFFSET 0 LIMIT 1"));
      assertThat(page.items()).hasSize(1);
      assertThat(page.items().get(0).get("n").intValue()).isEqualTo(ITEMS / 10);
      assertThat(page.metrics().entriesRead()).isLessThan(ITEMS / 2);
    }
  }

  @Test
  void collectValues() {
    try (QueryStore store = filled()) {
      List<JsonNode> rows =
          store.rows(
              "SELECT MAKESET(c.country) AS s, MAKELIST(c.n) AS l FROM c WHERE c.n < 4",
              QueryOptions.DEFAULT);
      assertThat(rows.get(0).get("s")).hasSize(2);
      assertThat(rows.get(0).get("l")).hasSize(4);
      assertThatThrownBy(
              () ->
                  store.rows(
                      "SELECT VALUE MAKELIST(c) FROM c",
                      QueryOptions.DEFAULT.withMemoryBytes(100_000)))
          .isInstanceOfSatisfying(
              DocumentException.class,
              e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.QUERY_BUDGET_EXCEEDED));
    }
  }

  /** Values of all types, absent values and long texts give the groups of a scan. */
  @Property(tries = 12)
  @ShortTries(4)
  void giveTheGroupsOfAScan(@ForAll long seed) {
    Random random = new Random(seed);
    IndexingPolicy policy = IndexingPolicy.DEFAULT;
    policy = random.nextBoolean() ? policy.withIncluded("/a/?") : policy.withIncluded("/a/*");
    policy =
        policy.withComposite(
            random.nextBoolean() ? CompositePath.ascending("/a") : CompositePath.descending("/a"),
            random.nextBoolean() ? CompositePath.ascending("/b") : CompositePath.descending("/b"));
    try (QueryStore store = open(policy)) {
      List<ObjectNode> items = new ArrayList<>();
      for (int i = 0; i < 120; i++) {
        ObjectNode item = (ObjectNode) Json.parse("{\"id\":\"" + i + "\"}");
        value(random, item, "a");
        value(random, item, "b");
        items.add(item);
      }
      store.fill(items);
      for (String sql :
          List.of(
              "SELECT c.a, COUNT(1) AS n, COUNTIF(c.a > 1) AS k FROM c GROUP BY c.a",
              "SELECT c.a, COUNT(c.b) AS n, MIN(c.b) AS lo, MAX(c.b) AS hi FROM c GROUP BY c.a",
              "SELECT c.b, c.a, COUNT(1) AS n FROM c GROUP BY c.b, c.a",
              "SELECT c.b, COUNT(1) AS n FROM c WHERE c.a = 1 GROUP BY c.b",
              "SELECT c.b, COUNT(1) AS n FROM c WHERE c.a > 0 GROUP BY c.b",
              "SELECT c.a, COUNT(1) AS n FROM c WHERE c.a != 1 AND c.b > 0 GROUP BY c.a",
              "SELECT c.a FROM c GROUP BY c.a",
              "SELECT c.a, c.b FROM c GROUP BY c.b, c.a",
              "SELECT DISTINCT c.a, c.b FROM c",
              "SELECT DISTINCT c.b, c.a FROM c WHERE c.a >= 1",
              "SELECT COUNTIF(c.a = 1) AS n, COUNTIF(NOT IS_DEFINED(c.a)) AS k FROM c")) {
        assertThat(keys(store.rows(sql, QueryOptions.DEFAULT)))
            .as(Definitions.toJson(policy) + sql)
            .containsExactlyInAnyOrderElementsOf(
                keys(store.rows(sql, QueryOptions.DEFAULT.withForceScan(true))));
      }
    }
  }

  private static List<DeepKey> keys(List<JsonNode> rows) {
    return rows.stream().map(DeepKey::new).toList();
  }

  private static void value(Random random, ObjectNode item, String name) {
    String longText = "long".repeat(300);
    switch (random.nextInt(9)) {
      case 0 -> item.put(name, longText + random.nextInt(2));
      case 1 -> item.putNull(name);
      case 2 -> item.put(name, random.nextBoolean());
      case 3 -> item.putArray(name).add(random.nextInt(2));
      case 4 -> item.putObject(name).put("x", random.nextInt(2));
      case 5 -> {} // absent
      case 6 -> item.put(name, "t" + random.nextInt(3));
      default -> item.put(name, random.nextInt(3));
    }
  }
}
