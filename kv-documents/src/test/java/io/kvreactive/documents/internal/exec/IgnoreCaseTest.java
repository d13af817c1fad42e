package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.internal.value.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that STARTSWITH and STRINGEQUALS without case read only the ranges of the case variants.
 */
class IgnoreCaseTest {
  private static final int OTHERS = 2_000;

  private static List<ObjectNode> people() {
    List<ObjectNode> people = new ArrayList<>();
    for (String name :
        List.of("Kirk", "kirsten", "KIRK", "\u212aIRK", "kim", "Karl", "ſam", "Sam")) {
      people.add(person(people.size(), name));
    }
    for (int i = 0; i < OTHERS; i++) {
      people.add(person(people.size(), "person " + i));
    }
    return people;
  }

  private static ObjectNode person(int id, String name) {
    String document = "{\"id\":\"%d\",\"name\":\"%s\",\"age\":%d}";
    return (ObjectNode) Json.parse(document.formatted(id, name, id % 7));
  }

  private static List<String> texts(List<JsonNode> rows) {
    return rows.stream().map(JsonNode::asText).sorted().toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "STARTSWITH(c.name, 'kIr', true); [KIRK, Kirk, kirsten, \u212aIRK]",
        "STARTSWITH(c.name, 'KIRK', true); [KIRK, Kirk, \u212aIRK]",
        "STARTSWITH(c.name, 'k', true); [KIRK, Karl, Kirk, kim, kirsten, \u212aIRK]",
        "STARTSWITH(c.name, '\u212ai', true); [KIRK, Kirk, kim, kirsten, \u212aIRK]",
        "STRINGEQUALS(c.name, 'kirk', true); [KIRK, Kirk, \u212aIRK]",
        "STRINGEQUALS(c.name, 'SAM', true); [Sam, ſam]",
        "STRINGEQUALS(c.name, 'ki', true); []",
        "STARTSWITH(c.name, 'kir', true) OR STARTSWITH(c.name, 'sam', true);"
            + " [KIRK, Kirk, Sam, kirsten, ſam, \u212aIRK]",
      })
  void readsFewEntries(String condition, String names) {
    try (QueryStore store =
        new QueryStore(CollectionDefinition.DEFAULT, DocumentStoreOptions.DEFAULT)) {
      store.fill(people());
      SqlQuery query = SqlQuery.of("SELECT VALUE c.name FROM c WHERE " + condition);
      QueryPage<JsonNode> page = store.page(query);
      assertThat(texts(page.items())).hasToString(names);
      assertThat(texts(store.rows(query.text(), QueryOptions.DEFAULT.withForceScan(true))))
          .hasToString(names);
      assertThat(page.metrics().entriesRead()).isLessThan(100);
      assertThat(page.metrics().retrievedItems()).isLessThan(20);
    }
  }

  /** The query loads only the items in both ranges. */
  @Test
  void intersectsWithARange() {
    try (QueryStore store =
        new QueryStore(CollectionDefinition.DEFAULT, DocumentStoreOptions.DEFAULT)) {
      store.fill(people());
      String sql = "SELECT VALUE c.name FROM c WHERE STARTSWITH(c.name, 'kir', true) AND c.age < 2";
      QueryPage<JsonNode> page = store.page(SqlQuery.of(sql));
      assertThat(texts(page.items())).containsExactly("Kirk", "kirsten");
      assertThat(page.metrics().retrievedItems()).isEqualTo(2);
    }
  }

  /** The query reads the range of ages and tests the names of its items. */
  @ParameterizedTest
  @ValueSource(strings = {"'PERSON'", "''", "'p'"})
  void filtersTheItemsOfALargeRange(String start) {
    try (QueryStore store =
        new QueryStore(CollectionDefinition.DEFAULT, DocumentStoreOptions.DEFAULT)) {
      store.fill(people());
      store.fill(IntStream.range(10_000, 14_000).mapToObj(i -> person(i, "person")).toList());
      String sql = "SELECT VALUE COUNT(1) FROM c WHERE STARTSWITH(c.name, %s, true) AND c.age < 2";
      QueryPage<JsonNode> page = store.page(SqlQuery.of(sql.formatted(start)));
      int named = start.equals("''") ? 4 : 0;
      assertThat(page.items().get(0).asInt()).isBetween(1_700, 1_720 + named);
      assertThat(page.metrics().retrievedItems()).isLessThan(1_800);
    }
  }

  /**
   * The query reads the narrower of two ranges of one property and tests the other on its entries.
   */
  @Test
  void readsTheNarrowerRangeOfAProperty() {
    try (QueryStore store =
        new QueryStore(CollectionDefinition.DEFAULT, DocumentStoreOptions.DEFAULT)) {
      store.fill(people());
      String where = " FROM c WHERE c.name != null AND STARTSWITH(c.name, 'ki', true)";
      QueryPage<JsonNode> counted = store.page(SqlQuery.of("SELECT VALUE COUNT(1)" + where));
      assertThat(counted.items().get(0).asInt()).isEqualTo(5);
      assertThat(counted.metrics().retrievedItems()).isZero();
      assertThat(counted.metrics().entriesRead()).isLessThan(100);
      QueryPage<JsonNode> names = store.page(SqlQuery.of("SELECT DISTINCT VALUE c.name" + where));
      assertThat(texts(names.items()))
          .containsExactly("KIRK", "Kirk", "kim", "kirsten", "\u212aIRK");
      assertThat(names.metrics().retrievedItems()).isZero();
    }
  }

  @Test
  void readsACompositeIndex() {
    IndexingPolicy policy =
        Definitions.parsePolicy(
            """
            {"includedPaths": [{"path": "/age/?"}], "excludedPaths": [{"path": "/*"}],
             "compositeIndexes": [[{"path": "/age"}, {"path": "/name", "order": "descending"}]]}
            """);
    try (QueryStore store = new QueryStore(policy)) {
      store.fill(people());
      SqlQuery query =
          SqlQuery.of(
              "SELECT VALUE c.name FROM c WHERE c.age = 1 AND STARTSWITH(c.name, 'KIR', true)"
                  + " ORDER BY c.age, c.name DESC");
      QueryPage<JsonNode> page = store.page(query);
      assertThat(texts(page.items())).containsExactly("kirsten");
      assertThat(page.metrics().entriesRead()).isLessThan(100);
      JsonNode plan =
          Objects.requireNonNull(store.items.explain(query).block(QueryStore.PATIENCE)).plan();
      assertThat(plan.at("/orderBy/servedBy").asText()).isEqualTo("composite#1");
    }
  }
}
