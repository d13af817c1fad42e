package io.kvreactive.web.internal.collections;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.web.NearbyPlaces;
import io.kvreactive.web.NonBlockingThreads;
import io.kvreactive.web.internal.rest.Answer;
import io.kvreactive.web.internal.rest.Rest;
import io.kvreactive.web.internal.rest.TestServerContext;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queries, from outside. */
@ExtendWith(VertxExtension.class)
@ExtendWith(NonBlockingThreads.class)
class QueryRestTest {
  private static final String QUERY = "/collections/people/query";
  private static final int PEOPLE = 60;
  private static TestServerContext site;
  private static Rest rest;

  @BeforeAll
  static void start(Vertx vertx) throws Exception {
    site = new TestServerContext(vertx);
    rest = site.rest();
    rest.ask("PUT", "/collections/people", Rest.body("{}")).is(201);
    for (int i = 0; i < PEOPLE; i++) {
      rest.post(
              "/collections/people/items",
              "{\"id\":\"%02d\",\"city\":\"%s\",\"age\":%d}"
                  .formatted(i, i % 2 == 0 ? "Oslo" : "Rome", i))
          .is(201);
    }
  }

  @AfterAll
  static void stop() {
    site.close();
  }

  private static Answer query(String json, String... headers) {
    return rest.post(QUERY, json.replace('\'', '"'), headers);
  }

  @Test
  void answersAPageWithRowsAndCosts() {
    Answer answer =
        query(
                "{'query':'SELECT VALUE c.id FROM c WHERE c.city = @city AND c.age < @age',"
                    + "'parameters':[{'name':'@city','value':'Oslo'},{'name':'@age','value':5}]}")
            .is(200);
    assertThat(answer.json().get("items").toString()).isEqualTo("[\"00\",\"02\",\"04\"]");
    assertThat(answer.json().get("continuation").isNull()).isTrue();
    assertThat(answer.json().at("/metrics/outputItems").asInt()).isEqualTo(3);
    assertThat(answer.header("X-Kv-Versionstamp")).isEqualTo(answer.text("versionstamp"));
  }

  @Test
  void answersRowsOfAllJsonTypes() {
    String rows =
        "{'query':'SELECT VALUE @row FROM c WHERE c.id = @id','parameters':"
            + "[{'name':'@id','value':'01'},{'name':'@row','value':%s}]}";
    for (String row :
        List.of(
            "null", "true", "-0.5", "9007199254740993", "'\u00e9\u2603'", "[]", "{'a':[1,{}]}")) {
      Answer answer = query(rows.formatted(row)).is(200);
      assertThat(answer.json().get("items").toString())
          .isEqualTo("[" + row.replace('\'', '"') + "]");
      assertThat(query(rows.formatted(row), "Accept", "application/x-ndjson").is(200).lines())
          .hasSize(1)
          .allSatisfy(line -> assertThat(line.toString()).isEqualTo(row.replace('\'', '"')));
    }
  }

  @Test
  void continuesThroughAllRowsInOrder() {
    List<String> ids = new ArrayList<>();
    String continuation = "null";
    int pages = 0;
    do {
      JsonNode page =
          query(
                  "{'query':'SELECT c.id FROM c ORDER BY c.age DESC','maxItemCount':7,"
                      + "'continuation':"
                      + continuation
                      + "}")
              .is(200)
              .json();
      page.get("items").forEach(item -> ids.add(item.get("id").asText()));
      continuation = page.get("continuation").toString();
      pages++;
    } while (!continuation.equals("null"));
    assertThat(pages).isEqualTo(9);
    assertThat(ids)
        .hasSize(PEOPLE)
        .doesNotHaveDuplicates()
        .isSortedAccordingTo((a, b) -> b.compareTo(a));
    query("{'query':'SELECT * FROM c','continuation':'forged'}")
        .problem(400, "INVALID_CONTINUATION");
  }

  @Test
  void limitsTheBytesOfAPage() {
    String sql = "{'query':'SELECT VALUE c.id FROM c','maxPageBytes':%d}";
    JsonNode one = query(sql.formatted(1)).is(200).json();
    assertThat(one.get("items")).hasSize(1);
    assertThat(one.get("continuation").isTextual()).isTrue();
    JsonNode some = query(sql.formatted(60)).is(200).json();
    assertThat(some.get("items").size()).isBetween(10, 20); // each has about 4 bytes
    JsonNode all = query(sql.formatted(16 << 20)).is(200).json();
    assertThat(all.get("items")).hasSize(PEOPLE);
  }

  @Test
  void pagesGroupsAndDistinctRows() {
    for (String sql :
        List.of("SELECT DISTINCT c.id FROM c", "SELECT c.id, COUNT(1) AS n FROM c GROUP BY c.id")) {
      String request = "{'query':'" + sql + "','maxItemCount':7,'maxPageBytes':90%s}";
      Set<String> ids = new HashSet<>();
      JsonNode page = query(request.formatted("")).is(200).json();
      while (true) {
        assertThat(page.get("items").size()).isBetween(1, 7);
        page.get("items").forEach(row -> assertThat(ids.add(row.get("id").asText())).isTrue());
        if (page.get("continuation").isNull()) {
          break;
        }
        String next = ",'continuation':'" + page.get("continuation").asText() + "'";
        page = query(request.formatted(next)).is(200).json();
      }
      assertThat(ids).hasSize(PEOPLE);
    }
  }

  @Test
  void streamsAllRowsAsLines() {
    Answer answer =
        query("{'query':'SELECT * FROM c WHERE c.age >= 10'}", "Accept", "application/x-ndjson")
            .is(200);
    assertThat(answer.lines()).hasSize(PEOPLE - 10);
    query("{'query':'SELEKT'}", "Accept", "application/x-ndjson").problem(400, "INVALID_QUERY");
  }

  private static final String SHOPS =
      """
      {"computedProperties":[{"name":"cp_lower","query":"SELECT VALUE LOWER(c.name) FROM c"}],
       "indexingPolicy":{"includedPaths":[%s],"excludedPaths":[{"path":"/*"}]}}\
      """;

  private static JsonNode shops(String query) {
    return rest.post("/collections/shops/query", "{\"query\":\"" + query + "\",\"explain\":true}")
        .is(200)
        .json();
  }

  @Test
  void findsItemsByTheIndexOfAComputedProperty() {
    String indexed = SHOPS.formatted("{\"path\":\"/cp_lower/?\"}");
    rest.ask("PUT", "/collections/shops", Rest.body(indexed)).is(201);
    for (int i = 0; i < 20; i++) {
      rest.post(
              "/collections/shops/items",
              "{\"id\":\"%02d\",\"name\":\"SHOP %02d\"}".formatted(i, i))
          .is(201);
    }
    String one = "SELECT c.id, c.cp_lower FROM c WHERE c.cp_lower = 'shop 07'";
    JsonNode found = shops(one);
    assertThat(found.get("items")).hasToString("[{\"id\":\"07\",\"cp_lower\":\"shop 07\"}]");
    assertThat(found.at("/metrics/retrievedItems").asInt()).isOne();
    assertThat(found.at("/indexMetrics/UtilizedSingleIndexes").toString()).contains("/cp_lower/?");
    String last = "SELECT VALUE c.id FROM c WHERE c.cp_lower > 'shop 16' ORDER BY c.cp_lower DESC";
    JsonNode ordered = shops(last);
    assertThat(ordered.get("items")).hasToString("[\"19\",\"18\",\"17\"]");
    assertThat(ordered.at("/metrics/retrievedItems").asInt()).isLessThanOrEqualTo(3);

    String name = "/collections/shops/items/07";
    rest.ask(
            "PATCH",
            name,
            Rest.body(
                "{\"operations\":[{\"op\":\"set\",\"path\":\"/name\",\"value\":\"Shop X\"}],"
                    + "\"filter\":\"c.cp_lower = 'shop 07'\"}"))
        .is(200);
    assertThat(rest.ask("GET", name, null).is(200).json().has("cp_lower")).isFalse();
    assertThat(shops(one).get("items")).isEmpty();
    assertThat(shops(one.replace("07'", "x'")).get("items")).hasSize(1);

    rest.ask("PUT", "/collections/shops", Rest.body(SHOPS.formatted(""))).is(200);
    rest.ask("GET", "/collections/shops/transformation", null).is(200);
    JsonNode scanned = shops(one.replace("07'", "x'"));
    assertThat(scanned.get("items")).hasSize(1);
    assertThat(scanned.at("/metrics/retrievedItems").asInt()).isEqualTo(20);
    rest.ask(
            "PUT",
            "/collections/shops",
            Rest.body(indexed.replace("LOWER(c.name)", "c.cp_lower"))) // refers to itself
        .problem(400, "INVALID_POLICY");
  }

  @Test
  void explainsTheIndexesOfAPlan() {
    JsonNode only =
        query(
                "{'query':'SELECT * FROM c WHERE c.city = \\'Oslo\\' AND c.age > 9','explain':'only'}"
                    .replace("\\'", "\\\""))
            .is(200)
            .json();
    assertThat(only.has("items")).isFalse();
    assertThat(only.has("operators")).isFalse();
    assertThat(only.at("/plan/access").size()).isPositive();
    assertThat(only.at("/indexMetrics/PotentialCompositeIndexes/0/IndexSpecs").toString())
        .contains("/city", "/age");
    JsonNode both = query("{'query':'SELECT * FROM c','explain':true}").is(200).json();
    assertThat(both.get("items")).hasSize(PEOPLE);
    assertThat(both.has("plan")).isTrue();
    assertThat(both.at("/operators/rows").intValue()).isEqualTo(PEOPLE);
    assertThat(both.findValuesAsText("operator")).containsExactly("page", "project", "fullScan");
  }

  @Test
  void reportsTheOffsetOfErrors() {
    JsonNode error =
        query("{'query':'SELECT * FROM c WHERE d.age = 1'}")
            .problem(400, "INVALID_QUERY")
            .json()
            .at("/errors/0");
    assertThat(error.get("code").asText()).isEqualTo("SC2001");
    assertThat(error.at("/location/start").asInt()).isEqualTo(22);
    assertThat(error.at("/location/end").asInt()).isEqualTo(23);
    JsonNode order =
        query("{'query':'SELECT * FROM c ORDER BY c.city, c.age DESC'}")
            .problem(400, "ORDER_NOT_INDEXED")
            .json()
            .at("/errors/0/missingIndex");
    assertThat(order.toString()).isEqualTo("[\"/city ASC\",\"/age DESC\"]");
    query("{'query':'SELECT * FROM c','enableScan':false}").problem(400, "SCAN_NOT_ENABLED");
    query("{'query':'SELECT * FROM c WHERE c.age > 9','enableScan':false}").is(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'query':7}",
        "{'query':'SELECT * FROM c','maxItemCount':0}",
        "{'query':'SELECT * FROM c','maxItemCount':100001}",
        "{'query':'SELECT * FROM c','maxPageBytes':0}",
        "{'query':'SELECT * FROM c','maxPageBytes':16777217}",
        "{'query':'SELECT * FROM c','maxPageBytes':1.5}",
        "{'query':'SELECT * FROM c','maxPageBytes':'many'}",
        "{'query':'SELECT * FROM c','explain':'maybe'}",
        "{'query':'SELECT * FROM c','plannerMode':'fast'}",
        "{'query':'SELECT * FROM c','enableScan':1}",
        "{'query':'SELECT * FROM c','parameters':{}}",
        "{'query':'SELECT * FROM c','parameters':[{'name':'@x'}]}",
        "{'query':'SELECT * FROM c','limit':1}",
        "[]",
      })
  void rejectsInvalidRequests(String json) {
    query(json).problem(400, "BAD_REQUEST");
  }

  @Test
  void rejectsHostileQueries() {
    query("{'query':'SELECT * FROM c WHERE " + "(".repeat(20_000) + "1" + ")".repeat(20_000) + "'}")
        .is(400);
    query("{'query':'" + "x".repeat(2 << 20) + "'}").is(400);
    query("{'query':'SELECT * FROM c WHERE c.a = @b'}").problem(400, "INVALID_QUERY");
    query("{'query':''}").problem(400, "INVALID_QUERY");
  }

  @Test
  void queriesSpatialAndVectorIndexes() throws Exception {
    NearbyPlaces.check(
        new NearbyPlaces.Surface() {
          private static final String PLACES = "/collections/" + NearbyPlaces.NAME;

          @Override
          public void create(String definition) {
            rest.ask("PUT", PLACES, Rest.body(definition)).is(201);
          }

          @Override
          public void put(String item) {
            rest.post(PLACES + "/items", item).is(201);
          }

          @Override
          public List<String> ids(String sql, String parameter, String value) {
            List<String> ids = new ArrayList<>();
            rest.post(PLACES + "/query", NearbyPlaces.body(sql, parameter, value))
                .is(200)
                .json()
                .get("items")
                .forEach(id -> ids.add(id.asText()));
            return ids;
          }

          @Override
          public JsonNode explain(String sql, String parameter, String value) {
            return rest.post(PLACES + "/query", NearbyPlaces.explained(sql, parameter, value))
                .is(200)
                .json();
          }
        });
  }
}
