package io.kvreactive.web.internal.collections;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.web.NonBlockingThreads;
import io.kvreactive.web.internal.rest.Answer;
import io.kvreactive.web.internal.rest.Rest;
import io.kvreactive.web.internal.rest.TestServerContext;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Batches, conditional patches and partitions, by REST requests. */
@ExtendWith(VertxExtension.class)
@ExtendWith(NonBlockingThreads.class)
class BatchRestTest {
  private static final String C = "/collections/orders";
  private static TestServerContext site;
  private static Rest rest;

  @BeforeAll
  static void start(Vertx vertx) throws Exception {
    site = new TestServerContext(vertx);
    rest = site.rest();
    ask("PUT", C, "{'partitionKey':{'paths':['/owner']}}").is(201);
    ask("PUT", "/collections/tree", "{'partitionKey':{'paths':['/a','/b','/c']}}").is(201);
  }

  @AfterAll
  static void stop() {
    site.close();
  }

  private static Answer ask(String method, String path, String body) {
    return rest.ask(method, path, Rest.body(body.replace('\'', '"')));
  }

  private static Answer get(String path) {
    return rest.ask("GET", path, null);
  }

  private static Answer delete(String path) {
    return rest.ask("DELETE", path, null);
  }

  private static Answer batch(String owner, String operations) {
    return ask(
        "POST", C + "/batch", "{'partitionKey':'" + owner + "','operations':[" + operations + "]}");
  }

  private static String item(String owner, String id, int n) {
    return "{'id':'%s','owner':'%s','n':%d}".formatted(id, owner, n);
  }

  private static String create(String owner, String id, int n) {
    return "{'op':'create','item':" + item(owner, id, n) + "}";
  }

  private static String inQuery(String partition) {
    return "?partitionKey="
        + java.net.URLEncoder.encode(partition, java.nio.charset.StandardCharsets.UTF_8);
  }

  @Test
  void answersWithTheResultOfEachOperation() {
    String etag =
        batch("ada", create("ada", "old", 1) + "," + create("ada", "gone", 1))
            .is(200)
            .json()
            .at("/results/0/etag")
            .asText();
    Answer answer =
        batch(
                "ada",
                create("ada", "new", 2)
                    + ",{'op':'upsert','item':"
                    + item("ada", "up", 3)
                    + "}"
                    + ",{'op':'replace','id':'old','item':{'owner':'ada','n':4},'ifMatch':'"
                    + etag
                    + "'}"
                    + ",{'op':'read','id':'old'}"
                    + ",{'op':'patch','id':'old','operations':[{'op':'incr','path':'/n','value':5},"
                    + "{'op':'move','from':'/n','path':'/m'}],'filter':'FROM c WHERE c.n = 4'}"
                    + ",{'op':'delete','id':'gone','ifMatch':'"
                    + etag
                    + "'}")
            .is(200);
    JsonNode results = answer.json().get("results");
    String version = answer.json().get("versionstamp").asText();

    assertThat(results.findValuesAsText("status"))
        .containsExactly("201", "201", "200", "200", "200", "204");
    assertThat(results.findValuesAsText("etag")).hasSize(5).containsOnly(version);
    assertThat(results.at("/3/item/n").intValue()).isEqualTo(4);
    assertThat(results.at("/4/item/m").intValue()).isEqualTo(9);
    assertThat(results.at("/4/item/_etag").asText()).isEqualTo(version);
    assertThat(answer.header("X-Kv-Versionstamp")).isEqualTo(version);
    assertThat(get(C + "/items/old" + inQuery("\"ada\"")).json()).isEqualTo(results.at("/4/item"));
    get(C + "/items/gone" + inQuery("\"ada\"")).problem(404, "ITEM_NOT_FOUND");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "409 | ITEM_EXISTS       | {'op':'create','item':{'id':'a','owner':'bob'}}",
        "404 | ITEM_NOT_FOUND    | {'op':'replace','id':'x','item':{'owner':'bob'}}",
        "404 | ITEM_NOT_FOUND    | {'op':'read','id':'x'}",
        "404 | ITEM_NOT_FOUND    | {'op':'delete','id':'x'}",
        "412 | ETAG_MISMATCH     | {'op':'delete','id':'a','ifMatch':'00000000000000000000'}",
        "412 | CONDITION_NOT_MET |"
            + " {'op':'patch','id':'a','operations':[{'op':'incr','path':'/n','value':1}],'filter':'c.n"
            + " > 1'}",
        "400 | INVALID_QUERY     |"
            + " {'op':'patch','id':'a','operations':[{'op':'incr','path':'/n','value':1}],'filter':'c.n"
            + " >'}",
        "400 | INVALID_PATCH     |"
            + " {'op':'patch','id':'a','operations':[{'op':'remove','path':'/x'}]}",
        "400 | INVALID_PATCH     |"
            + " {'op':'patch','id':'a','operations':[{'op':'remove','path':'/owner'}]}",
        "400 | INVALID_ITEM      | {'op':'upsert','item':{'id':'a','owner':'eve'}}",
        "400 | INVALID_ITEM      | {'op':'upsert','item':{'owner':'bob'}}",
        "400 | BAD_REQUEST       | {'op':'merge','id':'a'}",
        "400 | BAD_REQUEST       | {'op':'read'}",
        "400 | BAD_REQUEST       | {'op':'read','id':'a','item':{}}",
        "400 | BAD_REQUEST       | {'op':'replace','id':'a','item':{'id':'b'}}",
        "400 | BAD_REQUEST       |"
            + " {'op':'create','item':{'id':'c'},'ifMatch':'00000000000000000000'}",
        "400 | BAD_REQUEST       |"
            + " {'op':'patch','id':'a','operations':[{'op':'merge','path':'/x'}]}",
        "400 | BAD_REQUEST       |"
            + " {'op':'create','item':{'id':'c','owner':'bob'},'indexing':'no'}",
        "400 | BAD_REQUEST       | {'op':'delete','id':'a','indexing':'exclude'}",
        "400 | BAD_REQUEST       | 7",
        "400 | INVALID_VERSIONSTAMP | {'op':'read','id':'a','ifMatch':'x'}",
      })
  void namesTheFailedOperationAndChangesNothing(int status, String code, String operation) {
    if (get(C + "/items/a" + inQuery("\"bob\"")).response().statusCode() == 404) {
      batch("bob", create("bob", "a", 1)).is(200);
    }
    Answer answer = batch("bob", create("bob", "b", 1) + "," + operation).problem(status, code);

    assertThat(answer.json().get("failedOperation").intValue()).isEqualTo(1);
    get(C + "/items/b" + inQuery("\"bob\"")).problem(404, "ITEM_NOT_FOUND");
    assertThat(get(C + "/items/a" + inQuery("\"bob\"")).is(200).json().get("n").intValue()).isOne();
  }

  @Test
  void locatesErrorsInFilters() {
    batch("eve", create("eve", "a", 1)).is(200);
    Answer answer =
        batch(
                "eve",
                "{'op':'patch','id':'a','operations':[{'op':'incr','path':'/n','value':1}],'filter':'NOSUCH(c.n)'}")
            .problem(400, "INVALID_QUERY");

    assertThat(answer.json().at("/errors/0/location/start").intValue()).isZero();
    assertThat(answer.json().at("/errors/0/code").asText()).isEqualTo("SC2005");
  }

  @Test
  void rejectsMalformedBatches() {
    batch("x", "").problem(400, "INVALID_ARGUMENT");
    batch("x", "{'op':'read','id':'a'},".repeat(100) + "{'op':'read','id':'a'}")
        .problem(400, "LIMIT_EXCEEDED");
    ask("POST", C + "/batch", "{'operations':[{'op':'read','id':'a'}]}")
        .problem(400, "INVALID_ARGUMENT");
    ask("POST", C + "/batch", "{'partitionKey':{},'operations':[]}").problem(400, "BAD_REQUEST");
    ask("POST", "/collections/none/batch", "{'operations':[{'op':'read','id':'a'}]}")
        .problem(404, "COLLECTION_NOT_FOUND");
  }

  @Test
  void patchesUnderACondition() {
    batch("zoe", create("zoe", "stock", 1)).is(200);
    String path = C + "/items/stock" + inQuery("\"zoe\"");
    String take = "{'operations':[{'op':'incr','path':'/n','value':-1}],'filter':'c.n > 0'}";

    assertThat(ask("PATCH", path, take).is(200).json().get("n").intValue()).isZero();
    Answer refused = ask("PATCH", path, take).problem(412, "CONDITION_NOT_MET");
    assertThat(refused.json().has("failedOperation")).isFalse();
    ask("PATCH", path, "{'operations':[],'filter':7}").problem(400, "BAD_REQUEST");
  }

  @Test
  void readsAndDeletesWithinAPartitionKey() {
    for (int i = 0; i < 12; i++) {
      ask(
              "POST",
              "/collections/tree/items",
              "{'id':'i','a':'a%d','b':%d,'c':null,'n':%d}".formatted(i % 2, i % 6, i))
          .is(i < 6 ? 201 : 409);
    }
    String query = "{'query':'SELECT VALUE c.n FROM c','partitionKey':%s}";
    Answer page = ask("POST", "/collections/tree/query", query.formatted("'a0'")).is(200);

    assertThat(page.json().get("items")).hasToString("[0,2,4]");
    assertThat(page.json().at("/metrics/entriesRead").intValue()).isEqualTo(3);
    assertThat(page.json().at("/metrics/retrievedItems").intValue()).isEqualTo(3);
    assertThat(
            ask("POST", "/collections/tree/query", query.formatted("['a1',3]")).json().get("items"))
        .hasToString("[3]");
    assertThat(ask("POST", "/collections/tree/query", query.formatted("[]")).json().get("items"))
        .hasSize(6);
    ask("POST", "/collections/tree/query", query.formatted("[1,2,3,4]"))
        .problem(400, "INVALID_ARGUMENT");
    ask("POST", "/collections/tree/query", query.formatted("[[1]]")).problem(400, "BAD_REQUEST");

    String partition = "/collections/tree/partition";
    Answer first = get(partition + inQuery("[\"a0\"]") + "&limit=2").is(200);
    assertThat(first.json().get("items")).hasSize(2);
    Answer rest2 =
        get(
            partition
                + inQuery("[\"a0\"]")
                + "&continuation="
                + first.json().get("continuation").asText());
    assertThat(rest2.json().at("/items/0/n").intValue()).isEqualTo(4);
    assertThat(rest2.json().get("continuation").isNull()).isTrue();
    assertThat(delete(partition + inQuery("[\"a0\",2,null]")).json())
        .hasToString("{\"deleted\":1}");
    Answer lines =
        rest.ask("DELETE", partition + inQuery("\"a1\""), null, "Accept", "application/x-ndjson");
    assertThat(lines.lastLine().get("done").asBoolean()).isTrue();
    assertThat(lines.lastLine().get("deleted").asInt()).isEqualTo(3);
    assertThat(delete(partition + inQuery("\"a0\"")).json()).hasToString("{\"deleted\":2}");
    assertThat(get(partition + inQuery("\"a0\"")).json().get("items")).isEmpty();
    delete(partition).problem(400, "BAD_REQUEST");
    delete(partition + inQuery("[]")).problem(400, "INVALID_ARGUMENT");
  }
}
