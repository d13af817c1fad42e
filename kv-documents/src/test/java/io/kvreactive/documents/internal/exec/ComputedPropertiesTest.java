package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.ComputedProperty;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.QueryUpdate;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.UniqueKey;
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
import org.junit.jupiter.params.provider.ValueSource;
import reactor.test.StepVerifier;

/** Tests of computed properties: their rules, queries and indexes. */
class ComputedPropertiesTest {
  private static final ComputedProperty LOWER = computed("cp_lower", "LOWER(c.name)");

  private static ComputedProperty computed(String name, String expression) {
    return new ComputedProperty(name, "SELECT VALUE " + expression + " FROM c");
  }

  /** Opens a store of the engine under test. */
  QueryStore open(CollectionDefinition definition, DocumentStoreOptions options) {
    return new QueryStore(definition, options);
  }

  private QueryStore store(IndexingPolicy policy, ComputedProperty... properties) {
    return open(
        CollectionDefinition.DEFAULT.withIndexingPolicy(policy).withComputedProperties(properties),
        DocumentStoreOptions.DEFAULT);
  }

  private static List<ObjectNode> people() {
    return List.of(
        item("{'id':'1','name':'Ann','age':30,'tags':['X','Y'],'cp_lower':'stored'}"),
        item("{'id':'2','name':'BOB','age':20}"),
        item("{'id':'3','name':'bob','age':40}"),
        item("{'id':'4','age':50}"),
        item("{'id':'5','name':7}"));
  }

  private static ObjectNode item(String json) {
    return (ObjectNode) Json.parse(json.replace('\'', '"'));
  }

  private static List<String> texts(List<JsonNode> rows) {
    return rows.stream().map(Json::writeText).toList();
  }

  private static List<String> rows(QueryStore store, String sql) {
    return texts(store.rows(sql, QueryOptions.DEFAULT));
  }

  @Test
  void areFoundInAllClauses() {
    try (QueryStore store =
        store(
            IndexingPolicy.DEFAULT.withIncluded("/cp_lower/?"),
            LOWER,
            computed("cp_tags", "ARRAY_CONCAT(c.tags, ['z'])"))) {
      store.fill(people());
      assertThat(rows(store, "SELECT c.id, c.cp_lower FROM c WHERE c.cp_lower = 'bob'"))
          .containsExactlyInAnyOrder(
              "{\"id\":\"2\",\"cp_lower\":\"bob\"}", "{\"id\":\"3\",\"cp_lower\":\"bob\"}");
      assertThat(rows(store, "SELECT VALUE c[\"cp_lower\"] FROM c ORDER BY c.cp_lower DESC"))
          .containsExactly("\"bob\"", "\"bob\"", "\"ann\"");
      assertThat(rows(store, "SELECT c.cp_lower AS n, COUNT(1) AS k FROM c GROUP BY c.cp_lower"))
          .containsExactlyInAnyOrder(
              "{\"k\":2}", "{\"n\":\"ann\",\"k\":1}", "{\"n\":\"bob\",\"k\":2}");
      assertThat(rows(store, "SELECT VALUE t FROM c JOIN t IN c.cp_tags WHERE c.id = '1'"))
          .containsExactly("\"X\"", "\"Y\"", "\"z\"");
      assertThat(rows(store, "SELECT VALUE s.cp_lower FROM (SELECT VALUE c FROM c) s"))
          .containsExactlyInAnyOrder("\"ann\"", "\"bob\"", "\"bob\"");
      assertThat(rows(store, "SELECT VALUE COUNT(1) FROM c WHERE NOT IS_DEFINED(c.cp_lower)"))
          .containsExactly("2");
      assertThat(rows(store, "SELECT DISTINCT VALUE c.cp_lower FROM c"))
          .containsExactlyInAnyOrder("\"ann\"", "\"bob\"");
      assertThat(rows(store, "SELECT MIN(c.cp_lower) AS a, MAX(c.cp_lower) AS z FROM c"))
          .containsExactly("{\"a\":\"ann\",\"z\":\"bob\"}");
    }
  }

  @Test
  void areNoMembersOfTheItem() {
    try (QueryStore store = store(IndexingPolicy.DEFAULT, LOWER)) {
      store.fill(people());
      for (String sql :
          List.of("SELECT * FROM c WHERE c.id = '%s'", "SELECT VALUE c FROM c WHERE c.id = '%s'")) {
        JsonNode plain = store.rows(sql.formatted("2"), QueryOptions.DEFAULT).get(0);
        assertThat(plain.properties())
            .extracting(member -> member.getKey())
            .containsExactly("id", "name", "age", "_ts", "_etag");
        JsonNode own = store.rows(sql.formatted("1"), QueryOptions.DEFAULT).get(0);
        assertThat(own.properties())
            .filteredOn(member -> member.getKey().equals("cp_lower"))
            .extracting(member -> member.getValue().asText())
            .containsExactly("stored");
      }
      assertThat(rows(store, "SELECT VALUE c.cp_lower FROM c WHERE c.id = '1'"))
          .containsExactly("\"ann\"");
    }
  }

  @Test
  void areIndexedByTheirOwnPathsOnly() {
    SqlQuery query =
        SqlQuery.of("SELECT VALUE c.id FROM c WHERE c.cp_lower = 'bob' AND c.age < 60");
    for (IndexingPolicy policy :
        List.of(
            IndexingPolicy.DEFAULT.withIncluded("/cp_lower/?"),
            IndexingPolicy.DEFAULT.withIncluded("/cp_lower/*"),
            IndexingPolicy.excludeRoot("/cp_lower/?"),
            IndexingPolicy.excludeRoot("/cp_lower/?", "/age/?"),
            IndexingPolicy.DEFAULT.withComposite(
                CompositePath.ascending("/cp_lower"), CompositePath.ascending("/age")))) {
      try (QueryStore store = store(policy, LOWER)) {
        store.fill(people());
        QueryPage<JsonNode> page = store.page(query);
        assertThat(texts(page.items())).containsExactlyInAnyOrder("\"2\"", "\"3\"");
        assertThat(page.metrics().retrievedItems()).as(Definitions.toJson(policy)).isEqualTo(2);
      }
    }
    try (QueryStore store = store(IndexingPolicy.DEFAULT, LOWER)) {
      store.fill(people());
      QueryPage<JsonNode> page =
          store.page(SqlQuery.of("SELECT VALUE c.id FROM c WHERE c.cp_lower = 'bob'"));
      assertThat(texts(page.items())).containsExactlyInAnyOrder("\"2\"", "\"3\"");
      assertThat(page.metrics().retrievedItems()).isEqualTo(5);
      assertThatThrownBy(() -> rows(store, "SELECT * FROM c ORDER BY c.cp_lower"))
          .isInstanceOfSatisfying(
              DocumentException.class,
              e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.ORDER_NOT_INDEXED));
    }
  }

  @Test
  void serveTextSearchesByIndexScans() {
    try (QueryStore store = store(IndexingPolicy.DEFAULT.withIncluded("/cp_lower/?"), LOWER)) {
      store.fill(people());
      for (String condition :
          List.of(
              "c.cp_lower LIKE '%o%'",
              "c.cp_lower LIKE 'bo%'",
              "CONTAINS(c.cp_lower, 'ob')",
              "CONTAINS(c.cp_lower, 'OB', true)",
              "STARTSWITH(c.cp_lower, 'b')",
              "ENDSWITH(c.cp_lower, 'b')")) {
        QueryPage<JsonNode> page =
            store.page(SqlQuery.of("SELECT VALUE c.id FROM c WHERE " + condition));
        assertThat(texts(page.items())).as(condition).containsExactlyInAnyOrder("\"2\"", "\"3\"");
        assertThat(page.metrics().retrievedItems()).as(condition).isEqualTo(2);
      }
    }
  }

  @Test
  void areWatched() {
    try (QueryStore store = store(IndexingPolicy.DEFAULT.withIncluded("/cp_lower/?"), LOWER)) {
      store.fill(people().subList(0, 1));
      StepVerifier.create(
              store
                  .items
                  .watchQuery(
                      SqlQuery.of("SELECT VALUE c.cp_lower FROM c WHERE c.cp_lower = 'bob'"),
                      JsonNode.class)
                  .filter(update -> update instanceof QueryUpdate.Insert<JsonNode>)
                  .map(update -> ((QueryUpdate.Insert<JsonNode>) update).row().asText())
                  .take(1)
                  .doOnSubscribe(
                      subscribed ->
                          store.items.create(item("{'id':'9','name':'Bob'}")).subscribe()))
          .expectNext("bob")
          .expectComplete()
          .verify(QueryStore.PATIENCE);
    }
  }

  @Test
  void areUndefinedBeyondTheirLimits() {
    try (QueryStore store =
        store(
            IndexingPolicy.DEFAULT.withIncluded("/cp_wide/*"),
            computed("cp_calls", "0" + " + ABS(c.n)".repeat(200)),
            computed("cp_wide", "ARRAY_CONCAT(c.l, c.l, c.l, c.l, c.l, c.l)"))) {
      ObjectNode large = item("{'id':'1','a':'%s'}".formatted("x".repeat(100)));
      large.putArray("l");
      IntStream.range(0, 30_000).forEach(i -> large.withArray("l").add("text " + i));
      large.put("n", -1);
      store.fill(List.of(large));
      assertThat(rows(store, "SELECT VALUE c.cp_calls FROM c")).containsExactly("200");
      assertThat(rows(store, "SELECT VALUE IS_DEFINED(c.cp_wide) FROM c")).containsExactly("false");
      assertThat(rows(store, "SELECT VALUE c.id FROM c WHERE NOT IS_DEFINED(c.cp_wide)"))
          .containsExactly("\"1\"");
    }
  }

  @Test
  void countAsMemoryOfTheQueryUntilTheNextItem() {
    try (QueryStore store =
        store(
            IndexingPolicy.DEFAULT,
            computed("cp_text", "CONCAT(c.s, c.s, c.s, c.s)"),
            computed("cp_more", "CONCAT(c.s, c.s, c.s, c.s, c.s)"))) {
      store.fill(
          IntStream.range(0, 10)
              .mapToObj(i -> item("{'id':'%d','s':'%s'}".formatted(i, "x".repeat(100_000))))
              .toList());
      String one = "SELECT VALUE LENGTH(c.cp_text) FROM c";
      String both = "SELECT VALUE LENGTH(c.cp_text) + LENGTH(c.cp_more) FROM c";
      assertThat(store.rows(one, QueryOptions.DEFAULT.withMemoryBytes(500_000))).hasSize(10);
      assertThat(store.rows(both, QueryOptions.DEFAULT.withMemoryBytes(1_000_000))).hasSize(10);
      for (String twice : List.of(one + " WHERE c.cp_text != c.cp_text || 'y'", both)) {
        assertThatThrownBy(() -> store.rows(twice, QueryOptions.DEFAULT.withMemoryBytes(800_000)))
            .as(twice)
            .isInstanceOfSatisfying(
                DocumentException.class,
                e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.QUERY_BUDGET_EXCEEDED));
      }
    }
  }

  @Test
  void doNotSeeTheEtag() {
    try (QueryStore store =
        store(
            IndexingPolicy.DEFAULT.withIncluded("/cp_all/?"),
            computed("cp_all", "ARRAY_LENGTH(ObjectToArray(c))"))) {
      store.fill(List.of(item("{'id':'1'}")));
      assertThat(rows(store, "SELECT VALUE c.cp_all FROM c")).containsExactly("2"); // id and _ts
      assertThat(rows(store, "SELECT VALUE c.id FROM c WHERE c.cp_all = 2"))
          .containsExactly("\"1\"");
    }
  }

  @Test
  void keepTheirDefinition() {
    CollectionDefinition definition =
        CollectionDefinition.DEFAULT.withComputedProperties(
            LOWER, new ComputedProperty("cp two", "select value x.a + 1 from root x"));
    assertThat(Definitions.parse(Definitions.toJson(definition))).isEqualTo(definition);
    assertThat(Definitions.toJson(definition))
        .contains(
            "\"computedProperties\":[{\"name\":\"cp_lower\","
                + "\"query\":\"SELECT VALUE LOWER(c.name) FROM c\"}");
    assertThat(Definitions.parse("{\"computedProperties\":[]}").computedProperties()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SELECT c.a FROM c | another form",
        "SELECT * FROM c | another form",
        "SELECT VALUE 1 | another form",
        "SELECT VALUE x FROM x IN c.list | another form",
        "SELECT VALUE x FROM c.list x | another form",
        "SELECT VALUE c.a FROM c JOIN x IN c.list | another form",
        "SELECT VALUE c.a FROM c WHERE c.a > 1 | another form",
        "SELECT VALUE c.a FROM c ORDER BY c.a | another form",
        "SELECT VALUE c.a FROM c GROUP BY c.a | another form",
        "SELECT DISTINCT VALUE c.a FROM c | another form",
        "SELECT TOP 1 VALUE c.a FROM c | another form",
        "SELECT VALUE c.a FROM c OFFSET 0 LIMIT 1 | another form",
        "SELECT VALUE MAX(c.a) FROM c | calls MAX",
        "SELECT VALUE COUNT(1) FROM c | calls COUNT",
        "SELECT VALUE RAND() FROM c | calls RAND",
        "SELECT VALUE c.a + GetCurrentTimestamp() FROM c | calls GETCURRENTTIMESTAMP",
        "SELECT VALUE ST_DISTANCE(c.a, c.b) FROM c | ST_DISTANCE",
        "SELECT VALUE VectorDistance(c.a, [1, 2]) FROM c | calls VECTORDISTANCE",
        "SELECT VALUE EXISTS(SELECT VALUE x FROM x IN c.list) FROM c | subquery",
        "SELECT VALUE ARRAY(SELECT VALUE x FROM x IN c.list) FROM c | subquery",
        "SELECT VALUE c.other FROM c | uses \"other\"",
        "SELECT VALUE c.cp FROM c | uses \"cp\"",
        "SELECT VALUE c[\"_etag\"] FROM c | uses \"_etag\"",
        "SELECT VALUE NOSUCH(c.a) FROM c | not valid",
        "SELECT VALUE d.a FROM c | not valid",
        "SELECT VALUE @p FROM c | not valid",
        "SELEC | not valid",
      })
  void rejectOtherQueries(String query, String problem) {
    assertThatThrownBy(
            () ->
                CollectionDefinition.DEFAULT.withComputedProperties(
                    new ComputedProperty("cp", query), computed("other", "c.a")))
        .isInstanceOfSatisfying(
            DocumentException.class,
            e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.INVALID_POLICY))
        .hasMessageContaining("\"cp\"")
        .hasMessageContaining(problem);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "id", "ttl", "_ts", "_etag", "_rid", "_self", "_attachments"})
  void rejectReservedNames(String name) {
    assertThatThrownBy(
            () -> CollectionDefinition.DEFAULT.withComputedProperties(computed(name, "c.a")))
        .isInstanceOf(DocumentException.class)
        .hasMessageContaining("computed property \"" + name + "\" has a");
  }

  @Test
  void rejectConflictsWithOtherParts() {
    ComputedProperty cp = computed("cp", "c.a");
    CollectionDefinition any = CollectionDefinition.DEFAULT;
    assertThatThrownBy(() -> any.withComputedProperties(cp, cp))
        .hasMessageContaining("\"cp\" is defined twice");
    assertThatThrownBy(
            () ->
                any.withComputedProperties(
                    IntStream.range(0, 21).mapToObj(i -> computed("p" + i, "c.a")).toList()))
        .hasMessageContaining("21 properties, at most 20");
    assertThatThrownBy(
            () -> any.withComputedProperties(computed("cp", "c.a + ".repeat(2_000) + "1")))
        .hasMessageContaining("\"cp\" has a query of ");
    assertThatThrownBy(() -> any.withPartitionKey("/cp").withComputedProperties(cp))
        .hasMessageContaining("\"cp\" is used in partitionKey");
    assertThatThrownBy(
            () -> any.withUniqueKeys(UniqueKey.of("/a", "/cp/b")).withComputedProperties(cp))
        .hasMessageContaining("\"cp\" is used in uniqueKeyPolicy");
    assertThatThrownBy(
            () ->
                any.withIndexingPolicy(IndexingPolicy.DEFAULT.withIncluded("/cp/[]/{a, b}/?"))
                    .withComputedProperties(cp))
        .hasMessageContaining("\"cp\" is used in a tuple index");
    assertThatThrownBy(
            () ->
                Definitions.parse(
                    "{\"computedProperties\":[{\"name\":\"cp\",\"sql\":\"SELECT\"}]}"))
        .hasMessageContaining("'sql'");
  }

  /** Any items and definitions: indexes give the rows of a scan. */
  @Property(tries = 15)
  @ShortTries(5)
  void giveTheRowsOfAScan(@ForAll long seed) {
    Random random = new Random(seed);
    List<String> expressions =
        List.of(
            "c.a",
            "c.a + c.b",
            "LOWER(c.s)",
            "CONCAT(c.s, '!')",
            "[c.a, c.b]",
            "c.n",
            "c.n.x",
            "c.a > 1",
            "ToString(c.a)",
            "c.a ?? c.s",
            "IIF(c.a > 1, c.s, c.b)",
            "null",
            "c");
    IndexingPolicy policy = IndexingPolicy.DEFAULT;
    List<ComputedProperty> properties = new ArrayList<>();
    for (String name : List.of("p", "q", "s2")) {
      properties.add(computed(name, expressions.get(random.nextInt(expressions.size()))));
      if (random.nextInt(4) > 0) {
        policy = policy.withIncluded("/" + name + (random.nextBoolean() ? "/?" : "/*"));
      }
    }
    policy = policy.withComposite(CompositePath.ascending("/p"), CompositePath.descending("/a"));
    try (QueryStore store = store(policy, properties.toArray(ComputedProperty[]::new))) {
      List<ObjectNode> items = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        ObjectNode item = item("{'id':'" + i + "'}");
        put(random, item, "a", random.nextInt(4));
        put(random, item, "b", random.nextInt(3) - 1);
        if (random.nextInt(4) > 0) {
          item.put("s", List.of("A", "b", "Bb", "zZ").get(random.nextInt(4)));
        }
        if (random.nextInt(3) > 0) {
          put(random, item.putObject("n"), "x", random.nextInt(3));
        }
        if (random.nextInt(5) == 0) {
          item.put("p", "stored");
        }
        items.add(item);
      }
      store.fill(items);
      for (int i = 0; i < 10; i++) { // changes maintain the entries
        ObjectNode item = items.get(random.nextInt(items.size()));
        item.put("a", random.nextInt(5));
        Objects.requireNonNull(store.items.upsert(item).block(QueryStore.PATIENCE));
      }
      for (String name : List.of("p", "q", "s2")) {
        for (String condition :
            List.of(
                "%s = 1",
                "%s > 'a'",
                "%s != 2",
                "IS_DEFINED(%s)",
                "NOT IS_DEFINED(%s)",
                "%s IN (0, 'b', true, null)",
                "%s.x = 1",
                "%s[0] = 1",
                "STARTSWITH(%s, 'b')",
                "%s = 1 AND c.a > 0",
                "%s = 1 OR c.b = 1")) {
          String sql =
              "SELECT c.id, %1$s AS v FROM c WHERE ".formatted("c." + name)
                  + condition.formatted("c." + name);
          assertThat(rows(store, sql))
              .as(properties + sql)
              .containsExactlyInAnyOrderElementsOf(
                  texts(store.rows(sql, QueryOptions.DEFAULT.withForceScan(true))));
        }
      }
    }
  }

  private static void put(Random random, ObjectNode item, String name, int value) {
    if (random.nextInt(5) > 0) {
      item.put(name, value);
    }
  }
}
