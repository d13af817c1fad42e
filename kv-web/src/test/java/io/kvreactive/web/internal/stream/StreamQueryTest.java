package io.kvreactive.web.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.web.NearbyPlaces;
import io.kvreactive.web.NonBlockingThreads;
import io.kvreactive.web.StreamOptions;
import io.kvreactive.web.internal.auth.AccessRight;
import io.kvreactive.web.internal.auth.Authenticator;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.rest.Rest;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queries over the WebSocket. */
@ExtendWith(VertxExtension.class)
@ExtendWith(NonBlockingThreads.class)
class StreamQueryTest {
  private static final int ITEMS = 300;
  private StreamServer server;
  private StreamClient client;
  private DocumentStore index;
  private Vertx vertx;

  @BeforeEach
  void start(Vertx vertx) {
    this.vertx = vertx;
    start(Authenticator.OPEN);
  }

  private void start(Authenticator authenticator) {
    server = StreamServer.start(vertx, authenticator, StreamOptions.DEFAULT);
    client = server.connect();
    index = DocumentStore.over(server.kv());
    index.create("people", CollectionDefinition.DEFAULT).block(StreamServer.TIMEOUT);
    for (int i = 0; i < ITEMS; i++) {
      write("%03d".formatted(i), i);
    }
  }

  private void write(String id, int age) {
    people().upsert(Map.of("id", id, "age", age)).block(StreamServer.TIMEOUT);
  }

  @SuppressWarnings("rawtypes")
  private DocumentCollection<Map> people() {
    return index.collection("people", Map.class);
  }

  @AfterEach
  void close() {
    client.close();
    index.close().block(StreamServer.TIMEOUT);
    server.close();
  }

  private static int rows(List<JsonNode> frames) {
    return frames.stream().mapToInt(frame -> frame.path("rows").size()).sum();
  }

  @Test
  void emitsRowsByParameters() {
    client.say(
        "{'op':'query','id':3,'collection':'people','query':'SELECT VALUE c.id FROM c WHERE c.age"
            + " < @age ORDER BY c.age','parameters':[{'name':'@age','value':3}],'credit':10}");
    List<String> rows = new ArrayList<>();
    for (JsonNode frame : client.until("end")) {
      assertThat(frame.get("id").asLong()).isEqualTo(3);
      frame.path("rows").forEach(row -> rows.add(row.asText()));
    }
    assertThat(rows).containsExactly("000", "001", "002");
  }

  @Test
  void neverEmitsMoreThanTheCredit() {
    client.say("{'op':'query','id':1,'collection':'people','query':'SELECT * FROM c','credit':5}");
    int first = 0;
    while (first < 5) {
      first += client.next("rows").get("rows").size();
    }
    assertThat(first).isEqualTo(5);
    assertThat(client.untilPong()).isEmpty();
    client.say("{'op':'credit','id':1,'n':1000}");
    assertThat(rows(client.until("end"))).isEqualTo(ITEMS - 5);
  }

  private void sayQuery(int id, String more) {
    client.say(
        "{'op':'query','id':%d,'collection':'people','query':'SELECT c.id, @text AS text FROM c',"
                .formatted(id)
            + "'parameters':[{'name':'@text','value':'"
            + "x".repeat(5000)
            + "'}],'credit':1000"
            + more
            + "}");
  }

  @Test
  void requestsNoMoreRowsWithoutACreditOfBytes() {
    sayQuery(1, ",'creditBytes':100000");
    int first = 0;
    while (first < 20) { // less than 100,000 bytes without their ids
      first += client.next("rows").get("rows").size();
    }
    for (int i = 2; i < 5; i++) { // other queries of the connection are not delayed
      sayQuery(i, "");
      for (JsonNode frame : client.until("end")) {
        first += frame.get("id").asInt() == 1 ? frame.path("rows").size() : 0;
      }
    }
    assertThat(first).isLessThan(20 + 64 + 10); // rows ahead, and a frame
    client.say("{'op':'credit','id':1,'bytes':10000000}");
    assertThat(rows(client.until("end"))).isEqualTo(ITEMS - first);
  }

  @Test
  void beginsWithACreditOfBytes() {
    sayQuery(1, ",'creditBytes':0");
    assertThat(client.untilPong()).isEmpty();
    client.say("{'op':'credit','id':1,'n':1,'bytes':10000000}");
    assertThat(rows(client.until("end"))).isEqualTo(ITEMS);
  }

  @Test
  void canBeCancelled() {
    client.say("{'op':'query','id':1,'collection':'people','query':'SELECT * FROM c','credit':1}");
    client.next("rows");
    client.say("{'op':'cancel','id':1}");
    assertThat(client.untilPong()).noneMatch(frame -> frame.has("rows"));
    client.say("{'op':'query','id':2,'collection':'people','query':'SELECT 1 AS a','credit':9}");
    assertThat(client.until("end")).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"SELEKT", "SELECT * FROM c WHERE x.y = 1", "SELECT NOPE(1) FROM c"})
  void reportsTheOffsetOfErrors(String query) {
    client.say("{'op':'query','id':1,'collection':'people','query':'" + query + "','credit':5}");
    JsonNode frame = client.next();
    assertThat(frame.findValue("code").asText()).isEqualTo("INVALID_QUERY");
    assertThat(frame.findValue("location").get("end").isInt()).isTrue();
  }

  @Test
  void reportsAnAbsentCollection() {
    client.say("{'op':'query','id':1,'collection':'none','query':'SELECT * FROM c','credit':5}");
    assertThat(client.next().findValue("code").asText()).isEqualTo("COLLECTION_NOT_FOUND");
    client.say("{'op':'query','id':2,'collection':'a b','query':'SELECT * FROM c','credit':5}");
    assertThat(client.next().findValue("code").asText()).isEqualTo("INVALID_ARGUMENT");
    assertThat(client.untilPong()).isEmpty();
  }

  @Test
  void requiresATokenThatReachesCollections() {
    close();
    Grant mine =
        new Grant(
            "mine",
            Set.of(AccessRight.READ),
            List.of(io.kvreactive.KvKey.of("mine")),
            Set.of(),
            null);
    start(token -> mine);
    client.say("{'op':'query','id':1,'collection':'people','query':'SELECT * FROM c','credit':5}");
    assertThat(client.next().findValue("code").asText()).isEqualTo("FORBIDDEN");
  }

  @Test
  void queriesSpatialAndVectorIndexes() throws Exception {
    NearbyPlaces.check(
        new NearbyPlaces.Surface() {
          @Override
          public void create(String definition) {
            index
                .create(NearbyPlaces.NAME, Definitions.parse(definition))
                .block(StreamServer.TIMEOUT);
          }

          private DocumentCollection<JsonNode> places() {
            return index.collection(NearbyPlaces.NAME, JsonNode.class);
          }

          @Override
          public void put(String item) {
            places().create(Rest.json(item)).block(StreamServer.TIMEOUT);
          }

          @Override
          public List<String> ids(String sql, String parameter, String value) {
            client.say(
                NearbyPlaces.body(sql, parameter, value)
                    .replaceFirst(
                        "}$",
                        ",\"op\":\"query\",\"id\":1,\"collection\":\"places\",\"credit\":9}"));
            List<String> ids = new ArrayList<>();
            for (JsonNode frame : client.until("end")) {
              frame.path("rows").forEach(row -> ids.add(row.asText()));
            }
            return ids;
          }

          @Override
          public JsonNode explain(String sql, String parameter, String value) {
            SqlQuery query = SqlQuery.of(sql, Map.of(parameter, Rest.json(value)));
            return places().explain(query).block(StreamServer.TIMEOUT).plan();
          }
        });
  }
}
