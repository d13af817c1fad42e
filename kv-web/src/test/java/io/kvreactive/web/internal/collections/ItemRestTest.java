package io.kvreactive.web.internal.collections;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.web.NonBlockingThreads;
import io.kvreactive.web.internal.rest.Answer;
import io.kvreactive.web.internal.rest.Rest;
import io.kvreactive.web.internal.rest.TestServerContext;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Items, by REST requests. */
@ExtendWith(VertxExtension.class)
@ExtendWith(NonBlockingThreads.class)
class ItemRestTest {
  private static final String ITEMS = "/collections/people/items";
  private static final String CITIES = "/collections/cities/items";
  private static TestServerContext site;
  private static Rest rest;

  @BeforeAll
  static void start(Vertx vertx) throws Exception {
    site = new TestServerContext(vertx);
    rest = site.rest();
    rest.ask(
            "PUT",
            "/collections/people",
            json("{'uniqueKeyPolicy':{'uniqueKeys':[{'paths':['/mail']}]}}"))
        .is(201);
    rest.ask("PUT", "/collections/cities", json("{'partitionKey':{'paths':['/country','/n']}}"))
        .is(201);
  }

  @AfterAll
  static void stop() {
    site.close();
  }

  private static java.net.http.HttpRequest.BodyPublisher json(String text) {
    return Rest.body(text.replace('\'', '"'));
  }

  private static Answer create(String item) {
    return rest.ask("POST", ITEMS, json(item));
  }

  @Test
  void tellsCreatedFromReplacedItems() {
    put("told", "{'mail':'told','n':1}").is(201);
    put("told", "{'mail':'told','n':2}").is(200);
    String byId = ITEMS + "?id=" + Rest.encode("\"told2\"");
    rest.ask("PUT", byId, json("{'mail':'told2'}")).is(201);
    rest.ask("PUT", byId, json("{'mail':'told2'}")).is(200);
    rest.ask("DELETE", byId, null).is(200);
    rest.ask("PUT", byId, json("{'mail':'told2'}")).is(201);
  }

  @Test
  void answersWithTheLocationOfACreatedItem() {
    for (String id : List.of("place", "a b+c&d=é%", "..", "x:y", "\\ud800")) {
      assertThat(create("{'id':'" + id + "','mail':'" + id + "'}").header("Location"))
          .startsWith("items?id=%22")
          .satisfies(
              location ->
                  assertThat(located(ITEMS, location))
                      .isEqualTo(Rest.json("\"" + id + "\"").textValue()));
    }
    for (String partition : List.of("'country':'nø way','n':1.50", "'country':null,'n':true", "")) {
      String item = "{'id':'here'" + (partition.isEmpty() ? "" : "," + partition) + "}";
      Answer made = rest.ask("POST", CITIES, json(item)).is(201);
      assertThat(located(CITIES, made.header("Location"))).isEqualTo("here");
    }
    Answer below = rest.ask("POST", ITEMS + "/", json("{'id':'below','mail':'below'}")).is(201);
    assertThat(located(ITEMS + "/", below.header("Location"))).isEqualTo("below");
    String large = "{'id':'here','country':'" + "x".repeat(2048) + "','n':1}";
    assertThat(rest.ask("POST", CITIES, json(large)).is(201).header("Location")).isEmpty();
  }

  /** Returns the id of the item at a relative location. */
  private static String located(String path, String location) {
    String found = rest.request("POST", path, null).uri().resolve(location).toString();
    return rest.get(found.substring(found.indexOf("/collections"))).is(200).text("id");
  }

  private static Answer put(String id, String item, String... headers) {
    return rest.ask("PUT", ITEMS + "/" + id, json(item), headers);
  }

  private static Answer patch(String id, String operations, String... headers) {
    return rest.ask(
        "PATCH", ITEMS + "/" + id, json("{'operations':[" + operations + "]}"), headers);
  }

  @Test
  void createsReadsReplacesAndDeletesAnItem() {
    Answer made = create("{'id':'ada','mail':'ada@x','age':36,'_etag':'forged'}").is(201);
    String etag = made.header("ETag");
    assertThat(etag).isEqualTo("\"" + made.header("X-Kv-Versionstamp") + "\"");
    assertThat(made.json().get("_etag").asText()).isNotEqualTo("forged");
    Answer read = rest.get(ITEMS + "/ada").is(200);
    assertThat(read.json()).isEqualTo(made.json());
    assertThat(read.header("ETag")).isEqualTo(etag);
    rest.get(ITEMS + "/ada", "If-None-Match", etag).is(304);

    Answer replaced = put("ada", "{'mail':'ada@x','age':37}").is(200);
    assertThat(replaced.json().get("id").asText()).isEqualTo("ada");
    rest.get(ITEMS + "/ada", "If-None-Match", etag).is(200);

    rest.ask("DELETE", ITEMS + "/ada", null).is(200);
    rest.get(ITEMS + "/ada").problem(404, "ITEM_NOT_FOUND");
    rest.ask("DELETE", ITEMS + "/ada", null).problem(404, "ITEM_NOT_FOUND");
  }

  @Test
  void checksConditions() {
    String old = create("{'id':'cond','mail':'c','n':1}").is(201).header("ETag");
    create("{'id':'cond','mail':'c2'}").problem(409, "ITEM_EXISTS");
    put("cond", "{'mail':'c'}", "If-None-Match", "*").problem(409, "ITEM_EXISTS");
    String next = put("cond", "{'mail':'c','n':2}", "If-Match", old).is(200).header("ETag");
    put("cond", "{'mail':'c'}", "If-Match", old).problem(412, "ETAG_MISMATCH");
    patch("cond", "{'op':'incr','path':'/n','value':1}", "If-Match", old)
        .problem(412, "ETAG_MISMATCH");
    rest.ask("DELETE", ITEMS + "/cond", null, "If-Match", old).problem(412, "ETAG_MISMATCH");
    put("gone", "{}", "If-Match", old).problem(404, "ITEM_NOT_FOUND");
    rest.ask("DELETE", ITEMS + "/cond", null, "If-Match", next).is(200);
    put("cond", "{'mail':'c'}", "If-None-Match", "*").is(201);
    put("cond", "{}", "If-Match", "W/x").problem(400, "BAD_REQUEST");
  }

  @Test
  void rejectsDuplicateUniqueValues() {
    create("{'id':'u1','mail':'same'}").is(201);
    create("{'id':'u2','mail':'same'}").problem(409, "ITEM_EXISTS");
    put("u2", "{'mail':'same'}").problem(409, "ITEM_EXISTS");
  }

  @Test
  void patchesPartsOfAnItem() {
    create("{'id':'p','mail':'p','n':1,'tags':['a'],'old':true}").is(201);
    JsonNode changed =
        patch(
                "p",
                "{'op':'incr','path':'/n','value':2},{'op':'add','path':'/tags/-','value':'b'},"
                    + "{'op':'set','path':'/city','value':'Oslo'},{'op':'remove','path':'/old'},"
                    + "{'op':'replace','path':'/mail','value':'q'},"
                    + "{'op':'move','from':'/city','path':'/town'}")
            .is(200)
            .json();
    assertThat(changed.get("n").asInt()).isEqualTo(3);
    assertThat(changed.get("tags").toString()).isEqualTo("[\"a\",\"b\"]");
    assertThat(changed.get("town").asText()).isEqualTo("Oslo");
    assertThat(changed.has("city") || changed.has("old")).isFalse();
    patch("p", "{'op':'replace','path':'/none','value':1}").problem(400, "INVALID_PATCH");
    patch("p", "{'op':'set','path':'/id','value':'x'}").problem(400, "INVALID_PATCH");
    patch("p", "{'op':'jump','path':'/n'}").problem(400, "BAD_REQUEST");
    patch("p", "{'op':'incr','path':'/n','value':'1'}").problem(400, "BAD_REQUEST");
    patch("none", "{'op':'set','path':'/n','value':1}").problem(404, "ITEM_NOT_FOUND");
    assertThat(rest.get(ITEMS + "/p").json()).isEqualTo(changed);
  }

  @Test
  void limitsTheArrayElementsMovedByAPatch() {
    rest.ask("PUT", "/collections/arrays", json("{'indexingPolicy':{'indexingMode':'none'}}"))
        .is(201);
    String items = "/collections/arrays/items";
    String array = String.join(",", Collections.nCopies(100_000, "0"));
    rest.ask("POST", items, json("{'id':'a','list':[" + array + "]}")).is(201);
    // the removal moves 100,000 elements, the insertion 99,999
    String move = "{'op':'move','from':'/list/0','path':'/list/0'},".repeat(500);
    String last = "{'op':'add','path':'/list/99500','value':0}"; // 100,000,000 together
    String one = ",{'op':'remove','path':'/list/100000'}";

    rest.ask("PATCH", items + "/a", json("{'operations':[" + move + last + one + "]}"))
        .problem(400, "LIMIT_EXCEEDED");
    rest.ask("PATCH", items + "/a", json("{'operations':[" + move + last + "]}")).is(200);
  }

  @Test
  void separatesPartitions() {
    rest.ask("POST", CITIES, json("{'id':'1','country':'no','n':1,'name':'Oslo'}")).is(201);
    rest.ask("POST", CITIES, json("{'id':'1','country':'no','n':2,'name':'Bergen'}")).is(201);
    String no2 = CITIES + "/1?partitionKey=" + Rest.encode("[\"no\",2]");
    assertThat(rest.get(no2).is(200).text("name")).isEqualTo("Bergen");
    rest.get(CITIES + "/1?partitionKey=" + Rest.encode("[\"se\",2]"))
        .problem(404, "ITEM_NOT_FOUND");
    rest.ask("DELETE", no2, null).is(200);
    assertThat(
            rest.get(CITIES + "/1?partitionKey=" + Rest.encode("[\"no\",1]")).is(200).text("name"))
        .isEqualTo("Oslo");
    rest.get(CITIES + "/1?partitionKey=" + Rest.encode("{}")).problem(400, "BAD_REQUEST");
    rest.get(CITIES + "/1?partitionKey=no").problem(400, "BAD_REQUEST");
    assertThat(rest.get(CITIES + "/1").response().statusCode()).isIn(400, 404);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | INVALID_ITEM",
        "{'id':7} | INVALID_ITEM",
        "{'id':''} | INVALID_ITEM",
        "{'id':'a/b'} | INVALID_ITEM",
        "{'id':'x','ttl':'soon'} | INVALID_ITEM",
        "[] | BAD_REQUEST",
        "null | BAD_REQUEST",
        "{'id':'x' | BAD_REQUEST",
      })
  void rejectsInvalidItems(String item, String code) {
    create(item.replace("'", "\"")).problem(400, code);
  }

  @Test
  void rejectsLargeAndDeepItems() {
    create("{'id':'large','text':'" + "x".repeat(3 << 20) + "'}").problem(413, "ITEM_TOO_LARGE");
    Answer deep = create("{'id':'deep','a':" + "[".repeat(400) + "]".repeat(400) + "}");
    assertThat(deep.response().statusCode()).isIn(400, 413);
    create("{'id':'deeper','a':" + "[".repeat(90_000) + "]".repeat(90_000) + "}")
        .problem(400, "BAD_REQUEST");
  }

  @Test
  void keepsAllDigitsOfNumbers() {
    create("{'id':'digits','n':[3.14159265358979323846,12e300,-1e-400,0.50,-0.0,1e22]}").is(201);
    assertThat(rest.get(ITEMS + "/digits").is(200).body())
        .contains("\"n\":[3.14159265358979323846,1.2E301,-1E-400,0.5,-0.0,1.0E22]");
    create("{'id':'large','n':1e400}").problem(400, "INVALID_ITEM");
    create("{'id':'endless','n':1e99999999999}").problem(400, "INVALID_ITEM");
  }

  @Test
  void requiresTheIdOfThePathInTheItem() {
    put("one", "{'id':'other'}").problem(400, "BAD_REQUEST");
    put("%C3%A9t%C3%A9%20%22x", "{'mail':'e'}").is(201);
    assertThat(rest.get(ITEMS + "/%C3%A9t%C3%A9%20%22x").is(200).text("id")).isEqualTo("été \"x");
  }

  @ParameterizedTest
  @ValueSource(strings = {"sometimes", "include,exclude"})
  void rejectsUnknownDirectives(String directive) {
    put("d", "{'mail':'d'}", "X-Kv-Indexing-Directive", directive).problem(400, "BAD_REQUEST");
    put("d", "{'mail':'d'}", "X-Kv-Indexing-Directive", "Exclude").isWritten();
  }
}
