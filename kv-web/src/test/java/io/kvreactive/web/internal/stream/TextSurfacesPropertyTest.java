package io.kvreactive.web.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvValue;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.json.KvJson;
import io.kvreactive.json.Utf8;
import io.kvreactive.testing.ShortTries;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.rest.Answer;
import io.kvreactive.web.internal.rest.Rest;
import io.vertx.core.Vertx;
import java.net.URI;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Any text, lone surrogates included, comes through every interface unchanged. */
class TextSurfacesPropertyTest {
  private static final String ITEMS = "/collections/texts/items";
  private static final String QUERY = "/collections/texts/query";
  private static final String NDJSON = "application/x-ndjson";
  private static final KvKey KEY = KvKey.of("text");
  private static Vertx vertx;
  private static StreamServer server;
  private static StreamClient socket;
  private static Rest rest;
  private static Kv remote;
  private static DocumentStore index;

  @BeforeContainer
  static void start() {
    vertx = Vertx.vertx();
    server = StreamServer.start(vertx);
    URI uri = URI.create("http://127.0.0.1:" + server.port());
    rest = new Rest(uri);
    socket = server.connect();
    remote = Kv.connect(vertx, uri.toString(), "any").block(TestServer.TIMEOUT);
    index = DocumentStore.over(server.kv());
    index.create("texts", CollectionDefinition.DEFAULT).block(TestServer.TIMEOUT);
  }

  @AfterContainer
  static void stop() {
    socket.close();
    remote.close().block(TestServer.TIMEOUT);
    index.close().block(TestServer.TIMEOUT);
    server.close();
    vertx.close().await();
  }

  /** Characters of all planes: controls, characters escaped in JSON, paired and lone surrogates. */
  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.frequencyOf(
            net.jqwik.api.Tuple.of(3, Arbitraries.integers().between(0, 0x7F)),
            net.jqwik.api.Tuple.of(2, Arbitraries.integers().between(0x80, 0x7FF)),
            net.jqwik.api.Tuple.of(2, Arbitraries.integers().between(0x800, 0xFFFF)),
            net.jqwik.api.Tuple.of(3, Arbitraries.integers().between(0xD800, 0xDFFF)),
            net.jqwik.api.Tuple.of(1, Arbitraries.of(0xFFFD, 0xFEFF, 0x2028, 0xFFFF)),
            net.jqwik.api.Tuple.of(2, Arbitraries.integers().between(0x10000, 0x10FFFF)))
        .list()
        .ofMinSize(1)
        .ofMaxSize(12)
        .map(
            points -> {
              StringBuilder text = new StringBuilder();
              points.forEach(text::appendCodePoint);
              return text.toString();
            });
  }

  private static ObjectNode object() {
    return com.fasterxml.jackson.databind.node.JsonNodeFactory.instance.objectNode();
  }

  private static String json(JsonNode json) {
    return Utf8.escape(json.toString());
  }

  private static String json(String text) {
    return json(com.fasterxml.jackson.databind.node.TextNode.valueOf(text));
  }

  private static ObjectNode query(String text) {
    ObjectNode query = object().put("query", "SELECT * FROM c WHERE c.name = @name");
    query.putArray("parameters").addObject().put("name", "@name").put("value", text);
    return query;
  }

  private static void isItem(JsonNode found, String id, String text) {
    assertThat(found.get("id").textValue()).isEqualTo(id);
    assertThat(found.get("name").textValue()).isEqualTo(text);
    assertThat(found.get("m" + text).asInt()).isEqualTo(1);
  }

  @Property(tries = 60)
  @ShortTries(12)
  void roundTripsItems(@ForAll("texts") String text) {
    String id = "i" + text.replace("/", "").replace("\\", "");
    String one = ITEMS + "?id=" + Rest.encode(json(id));
    ObjectNode item = object().put("id", id).put("name", text).put("m" + text, 1);
    isItem(rest.ask("PUT", one, Rest.body(json(item))).isWritten().json(), id, text);
    isItem(rest.get(one).is(200).json(), id, text);
    ObjectNode patch = object();
    patch.putArray("operations").addObject().put("op", "set").put("path", "/p").put("value", text);
    assertThat(rest.ask("PATCH", one, Rest.body(json(patch))).is(200).text("p")).isEqualTo(text);

    JsonNode page = rest.post(QUERY, json(query(text))).is(200).json().get("items");
    assertThat(page).hasSize(1);
    isItem(page.get(0), id, text);
    List<JsonNode> lines = rest.post(QUERY, json(query(text)), "Accept", NDJSON).is(200).lines();
    assertThat(lines).hasSize(1);
    isItem(lines.get(0), id, text);
    ObjectNode open = query(text).put("op", "query").put("id", 1).put("credit", 9);
    socket.sayRaw(json(open.put("collection", "texts")));
    isItem(socket.next("rows").get("rows").get(0), id, text);
    socket.next("end");
    Map<?, ?> read =
        index
            .collection("texts", Map.class)
            .read(id, PartitionKey.NONE)
            .block(TestServer.TIMEOUT)
            .value();
    assertThat(read.get("name")).isEqualTo(text);

    rest.ask("DELETE", one, null).is(200);
    rest.get(one).problem(404, "ITEM_NOT_FOUND");
    rest.post("/collections/texts/load", json(item) + "\n", "Content-Type", NDJSON).is(200);
    isItem(rest.get(one).is(200).json(), id, text);
    rest.ask("DELETE", one, null).is(200);
  }

  @Property(tries = 30)
  @ShortTries(12)
  void selectsPartsOfTexts(@ForAll("texts") String text) {
    String one = ITEMS + "/part";
    rest.ask("PUT", one, Rest.body(json(object().put("name", text)))).isWritten();
    for (String part :
        List.of(
            "LEFT(c.name,1)",
            "RIGHT(c.name,1)",
            "SUBSTRING(c.name,1,1)",
            "REVERSE(c.name)",
            "TOSTRING(c)",
            "CONCAT(c.name,LEFT(c.name,1))")) {
      String query = json(object().put("query", "SELECT VALUE " + part + " FROM c"));
      JsonNode page = rest.post(QUERY, query).is(200).json().at("/items/0");
      JsonNode line = rest.post(QUERY, query, "Accept", NDJSON).is(200).lines().get(0);
      assertThat(line).isEqualTo(page);
      if (part.startsWith("LEFT")) {
        assertThat(page.textValue()).isEqualTo(text.substring(0, 1));
      }
    }
    rest.ask("DELETE", one, null).is(200);
  }

  @Property(tries = 50)
  @ShortTries(12)
  void roundTripsValues(@ForAll("texts") String text) {
    rest.put(Rest.key("text"), json(text)).is(200);
    KvValue value = server.kv().get(KEY, KvValue.class).block(TestServer.TIMEOUT).required();
    for (Kv kv : List.of(server.kv(), remote)) {
      assertThat(kv.get(KEY, String.class).block(TestServer.TIMEOUT).required()).isEqualTo(text);
    }
    is(value, rest.get("/entry?key=" + Rest.key("text")).is(200).json().get("value"));
    is(value, rest.post("/entries/get", "{\"keys\":[[\"text\"]]}").is(200).json().at("/entries/0"));
    is(
        value,
        rest.get("/entries?prefix=[]".replace("[]", "%5B%5D") + "&start=" + Rest.key("text"))
            .is(200)
            .json()
            .at("/entries/0"));
    Answer export =
        rest.get("/export?start=" + Rest.key("text") + "&end=" + Rest.key("texu")).is(200);
    is(value, export.lines().get(0).get("value"));
    socket.sayRaw("{\"op\":\"watch\",\"id\":2,\"keys\":[[\"text\"]],\"credit\":1}");
    is(value, socket.next("state").at("/entries/0"));
    socket.sayRaw("{\"op\":\"cancel\",\"id\":2}");

    remote.set(KEY, text).block(TestServer.TIMEOUT);
    is(value, rest.get("/entry?key=" + Rest.key("text")).is(200).json().get("value"));
    rest.ask("DELETE", "/entry?key=" + Rest.key("text"), null).is(200);
    rest.post("/import", export.body(), "Content-Type", NDJSON).is(200);
    String line =
        server.kv().admin().exportLines(KvRange.single(KEY)).blockLast(TestServer.TIMEOUT);
    assertThat(Utf8.isWellFormed(line)).isTrue();
    is(value, Rest.json(line).get("value"));
  }

  private static void is(KvValue expected, JsonNode found) {
    JsonNode json = found.has("versionstamp") ? found.get("value") : found;
    assertThat(KvJson.valueOf(json)).isEqualTo(expected);
  }

  @Property(tries = 60)
  @ShortTries(12)
  void roundTripsOrRejectsKeys(@ForAll("texts") String text) {
    String key = "/entry?key=" + Rest.encode("[" + json("k" + text) + "]");
    Answer answer = rest.ask("PUT", key, Rest.body("1"));
    if (!Utf8.isWellFormed(text)) {
      answer.problem(400, "INVALID_KEY");
      return;
    }
    answer.is(200);
    assertThat(rest.get(key).is(200).json().at("/key/0").textValue()).isEqualTo("k" + text);
    KvKey stored = KvKey.of("k" + text);
    assertThat(remote.get(stored, Integer.class).block(TestServer.TIMEOUT).required()).isEqualTo(1);
    rest.ask("DELETE", key, null).is(200);
  }

  @Example
  void quotesSentTextUnchangedInProblems() {
    String id = "gone\ud800";
    Answer answer = rest.get(ITEMS + "?id=" + Rest.encode(json(id)));
    assertThat(answer.problem(404, "ITEM_NOT_FOUND").text("detail")).contains(id);
    Answer queue = rest.post("/enqueue", "{\"queue\":\"\\ud800\",\"value\":1}");
    assertThat(queue.problem(400, "INVALID_ARGUMENT").text("detail")).contains("\ud800");
  }

  @Example
  void distinguishesParametersByContinuation() {
    for (String id : List.of("p1", "p2")) {
      rest.post(ITEMS, "{\"id\":\"" + id + "\",\"name\":\"x\"}").is(201);
    }
    ObjectNode query = query("\ud800").put("maxItemCount", 1);
    query.put("query", "SELECT * FROM c WHERE c.name != @name");
    String continuation = rest.post(QUERY, json(query)).is(200).text("continuation");
    query.put("continuation", continuation);
    rest.post(QUERY, json(query)).is(200);
    ((ObjectNode) query.at("/parameters/0")).put("value", "\ud801");
    rest.post(QUERY, json(query)).problem(400, "INVALID_CONTINUATION");
    for (String id : List.of("p1", "p2")) {
      rest.ask("DELETE", ITEMS + "/" + id, null).is(200);
    }
  }
}
