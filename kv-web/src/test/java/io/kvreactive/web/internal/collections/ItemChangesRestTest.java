package io.kvreactive.web.internal.collections;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvOptions;
import io.kvreactive.web.Conditions;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.auth.Authenticator;
import io.kvreactive.web.internal.feed.Events;
import io.kvreactive.web.internal.rest.Answer;
import io.kvreactive.web.internal.rest.Rest;
import io.kvreactive.web.internal.rest.SlowClient;
import io.kvreactive.web.internal.rest.TestServerContext;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The change feed of a collection, and deletes by query, by REST requests. */
@ExtendWith(VertxExtension.class)
class ItemChangesRestTest {
  private static final String CHANGES = "/collections/c/changes";
  private TestServerContext site;
  private Rest rest;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    site = new TestServerContext(vertx);
    rest = site.rest();
    rest.ask("PUT", "/collections/c", Rest.body("{\"partitionKey\":{\"paths\":[\"/pk\"]}}"))
        .is(201);
  }

  @AfterEach
  void stop() {
    site.close();
  }

  private String put(String id, String pk, int v) {
    return rest.ask(
            "PUT",
            "/collections/c/items/" + id,
            Rest.body("{\"id\":\"%s\",\"pk\":\"%s\",\"v\":%d}".formatted(id, pk, v)))
        .isWritten()
        .json()
        .get("_etag")
        .asText();
  }

  private void delete(String id, String pk) {
    rest.ask("DELETE", "/collections/c/items/" + id + "?partitionKey=%22" + pk + "%22", null)
        .is(200);
  }

  private static List<String> texts(Iterable<JsonNode> changes) {
    List<String> texts = new ArrayList<>();
    for (JsonNode change : changes) {
      texts.add(
          change.get("type").asText()
              + " "
              + change.get("id").asText()
              + (change.has("item") ? " " + change.at("/item/v") : ""));
    }
    return texts;
  }

  @Test
  void answersPagesOfAllChanges() {
    String a = put("a", "x", 1);
    put("b", "y", 2);
    put("a", "x", 3);
    delete("b", "y");

    Answer first = rest.ask("GET", CHANGES + "?mode=all&limit=2", null).is(200);
    assertThat(texts(first.json().get("changes"))).containsExactly("upsert a 1", "upsert b 2");
    JsonNode change = first.json().at("/changes/0");
    assertThat(change.get("versionstamp").asText()).isEqualTo(a);
    assertThat(change.at("/item/_etag").asText()).isEqualTo(a);
    String next = first.json().get("continuation").asText();
    Answer second = rest.ask("GET", CHANGES + "?mode=all&since=" + next, null).is(200);
    assertThat(texts(second.json().get("changes"))).containsExactly("upsert a 3", "delete b");
    assertThat(second.json().at("/changes/1/partitionKey").toString()).isEqualTo("[\"y\"]");
    next = second.json().get("continuation").asText();
    assertThat(rest.ask("GET", CHANGES + "?mode=all&since=" + next, null).is(200).json().toString())
        .isEqualTo("{\"changes\":[],\"continuation\":\"" + next + "\",\"hasMore\":false}");
  }

  @Test
  void answersPreviousVersionsIfTheStoreKeepsThem(Vertx vertx) throws Exception {
    site.close();
    site =
        new TestServerContext(
            vertx,
            KvOptions.inMemory().withOldValues(true),
            RoutesOptions.DEFAULT,
            Authenticator.OPEN);
    rest = site.rest();
    rest.ask("PUT", "/collections/c", Rest.body("{\"partitionKey\":{\"paths\":[\"/pk\"]}}"))
        .is(201);
    put("a", "x", 1);
    put("a", "x", 2);
    delete("a", "x");

    JsonNode changes = rest.ask("GET", CHANGES + "?mode=all", null).is(200).json().get("changes");
    assertThat(changes.get(0).has("previous")).isFalse();
    assertThat(withoutStamps(changes.get(1)))
        .isEqualTo(
            "{'versionstamp':'','type':'upsert','id':'a','item':{'id':'a','pk':'x','v':2,'_etag':''},"
                + "'previous':{'id':'a','pk':'x','v':1,'_etag':''}}");
    assertThat(withoutStamps(changes.get(2)))
        .isEqualTo(
            "{'versionstamp':'','type':'delete','id':'a','partitionKey':['x'],"
                + "'previous':{'id':'a','pk':'x','v':2,'_etag':''}}");
    assertThat(changes.at("/1/previous/_etag")).isEqualTo(changes.at("/0/item/_etag"));
    assertThat(changes.at("/2/previous")).isEqualTo(changes.at("/1/item"));
    JsonNode ofPartition =
        rest.ask("GET", CHANGES + "?mode=all&partitionKey=%22x%22", null).is(200).json();
    assertThat(ofPartition.get("changes")).isEqualTo(changes);
    JsonNode latest = rest.ask("GET", CHANGES, null).is(200).json();
    assertThat(latest.get("changes")).isEmpty(); // no deletes, and so no previous versions

    String beginning = CHANGES + "?mode=all&since=00000000000000000000";
    try (Events events = Events.at(rest, beginning)) {
      for (JsonNode change : changes) {
        assertThat(next(events).data()).isEqualTo(change);
      }
    }
  }

  private static String withoutStamps(JsonNode change) {
    return change.toString().replaceAll("[0-9a-f]{20}|\"_ts\":\\d+,", "").replace('"', '\'');
  }

  @Test
  void tellsExpiriesFromDeletesInPagesAndEvents() throws Exception {
    rest.ask(
            "PUT",
            "/collections/e",
            Rest.body("{\"partitionKey\":{\"paths\":[\"/pk\"]},\"defaultTtl\":-1}"))
        .is(201);
    String begin = "/collections/e/changes?mode=all&since=00000000000000000000";
    for (String id : List.of("deleted", "expiring")) {
      rest.ask(
              "PUT",
              "/collections/e/items/" + id,
              Rest.body(
                  "{\"id\":\"%s\",\"pk\":\"x\",\"ttl\":%d}"
                      .formatted(id, id.equals("expiring") ? 1 : -1)))
          .is(201);
    }
    rest.ask("DELETE", "/collections/e/items/deleted?partitionKey=%22x%22", null).is(200);
    try (Events events = Events.at(rest, begin)) {
      JsonNode last = null;
      for (int i = 0; i < 4; i++) {
        last = next(events).data();
      }
      assertThat(withoutStamps(last))
          .isEqualTo(
              "{'versionstamp':'','type':'delete','id':'expiring','partitionKey':['x'],"
                  + "'timeToLiveExpired':true}");
    }
    JsonNode changes = rest.ask("GET", begin, null).is(200).json().get("changes");
    assertThat(changes.at("/2/type").asText()).isEqualTo("delete");
    assertThat(changes.get(2).has("timeToLiveExpired")).isFalse();
    assertThat(changes.at("/3/timeToLiveExpired").booleanValue()).isTrue();
  }

  @Test
  void keepsTheChangesOfABatchInOnePageAndInOneStream() throws Exception {
    put("first", "x", 0);
    rest.ask(
            "POST",
            "/collections/c/batch",
            Rest.body(
                "{\"partitionKey\":[\"x\"],\"operations\":["
                    + "{\"op\":\"upsert\",\"item\":{\"id\":\"a\",\"pk\":\"x\",\"v\":1}},"
                    + "{\"op\":\"upsert\",\"item\":{\"id\":\"b\",\"pk\":\"x\",\"v\":2}},"
                    + "{\"op\":\"upsert\",\"item\":{\"id\":\"c\",\"pk\":\"x\",\"v\":3}}]}"))
        .is(200);
    put("last", "x", 4);
    JsonNode page = rest.ask("GET", CHANGES + "?mode=all&limit=2", null).is(200).json();
    assertThat(texts(page.get("changes")))
        .containsExactly("upsert first 0", "upsert a 1", "upsert b 2", "upsert c 3");
    assertThat(page.get("hasMore").booleanValue()).isTrue();
    String beginning = CHANGES + "?mode=all&limit=2&since=00000000000000000000";
    try (Events events = Events.at(rest, beginning)) {
      assertThat(
              texts(
                  List.of(
                      next(events).data(),
                      next(events).data(),
                      next(events).data(),
                      next(events).data())))
          .isEqualTo(texts(page.get("changes")));
      assertThat(next(events).name()).isEqualTo("end");
    }
  }

  @Test
  void answersTimesAndTheEndWithDetails() {
    put("a", "x", 1);
    put("b", "y", 2);
    String query = CHANGES + "?mode=all&details=true&limit=";

    JsonNode part = rest.ask("GET", query + 1, null).is(200).json();
    assertThat(part.get("hasMore").booleanValue()).isTrue();
    assertThat(part.at("/changes/0/millis").longValue()).isPositive();
    JsonNode all = rest.ask("GET", query + 10, null).is(200).json();
    assertThat(all.get("hasMore").booleanValue()).isFalse();
  }

  @Test
  void replacesOnlyWhatExistsWithIfMatch() {
    String item = "{\"id\":\"a\",\"pk\":\"x\",\"v\":1}";
    String url = "/collections/c/items/a";
    assertThat(rest.ask("PUT", url, Rest.body(item), "If-Match", "*").is(404).text("code"))
        .isEqualTo("ITEM_NOT_FOUND");
    put("a", "x", 0);
    rest.ask("PUT", url, Rest.body(item), "If-Match", "*").is(200);
    assertThat(
            rest.ask("PUT", "/collections/none", Rest.body("{}"), "If-Match", "*")
                .is(404)
                .text("code"))
        .isEqualTo("COLLECTION_NOT_FOUND");
    rest.ask(
            "PUT",
            "/collections/c",
            Rest.body("{\"partitionKey\":{\"paths\":[\"/pk\"]},\"defaultTtl\":-1}"),
            "If-Match",
            "*")
        .is(200);
  }

  @Test
  void answersLatestVersionsAndOnePartition() {
    put("a", "x", 1);
    put("b", "y", 2);
    put("a", "x", 3);
    delete("b", "y");

    assertThat(texts(rest.ask("GET", CHANGES, null).is(200).json().get("changes")))
        .containsExactly("upsert a 3");
    assertThat(
            texts(
                rest.ask("GET", CHANGES + "?mode=all&partitionKey=%22y%22", null)
                    .is(200)
                    .json()
                    .get("changes")))
        .containsExactly("upsert b 2", "delete b");
    assertThat(rest.ask("GET", CHANGES + "?since=now&mode=all", null).is(200).json().get("changes"))
        .isEmpty();
  }

  @Test
  void dividesChangesIntoRangesAlikeInPagesAndStreams() throws Exception {
    for (int i = 0; i < 16; i++) {
      put("i" + i, "pk" + i, i);
    }
    List<String> divided = new ArrayList<>();
    for (int range = 0; range < 2; range++) {
      String query = CHANGES + "?since=00000000000000000000&range=" + range + "/2";
      List<String> page = texts(rest.ask("GET", query, null).is(200).json().get("changes"));
      assertThat(page).isNotEmpty().hasSizeLessThan(16);
      try (Events events = Events.at(rest, query)) {
        for (String change : page) {
          assertThat(texts(List.of(next(events).data()))).containsExactly(change);
        }
      }
      divided.addAll(page);
    }
    assertThat(divided)
        .containsExactlyInAnyOrderElementsOf(
            texts(rest.ask("GET", CHANGES, null).is(200).json().get("changes")));
  }

  @Test
  void rejectsInvalidParameters() {
    for (String query :
        List.of(
            "mode=some",
            "limit=0",
            "limit=10001",
            "since=x",
            "partitionKey=[1,2]",
            "x=1",
            "range=1",
            "range=2/2",
            "range=-1/2",
            "range=0/0",
            "range=0/1025",
            "range=0/2&partitionKey=1")) {
      rest.ask("GET", CHANGES + "?" + query.replace("[", "%5B").replace("]", "%5D"), null).is(400);
    }
    for (String query :
        List.of(
            "mode=some",
            "limit=0",
            "limit=10001",
            "details=x",
            "range=2/2",
            "range=0/2&partitionKey=1")) {
      rest.ask("GET", CHANGES + "?" + query, null, "Accept", "text/event-stream").is(400);
    }
    rest.ask("GET", "/collections/none/changes", null).is(404);
    rest.ask("GET", CHANGES, null, "Accept", "text/html").is(406);
  }

  @Test
  void streamsEventsAndResumes() throws Exception {
    String before = put("a", "x", 1);
    put("b", "y", 2);
    try (Events events = Events.at(rest, CHANGES + "?mode=all&since=" + before)) {
      Events.Event event = next(events);
      assertThat(event.name()).isEqualTo("change");
      assertThat(event.data().at("/item/v").asInt()).isEqualTo(2);
      String id = event.id();
      assertThat(id).isEqualTo(event.data().get("versionstamp").asText());
      delete("b", "y");
      assertThat(next(events).data().get("type").asText()).isEqualTo("delete");
      try (Events again = Events.at(rest, CHANGES + "?mode=all", "Last-Event-ID", id)) {
        assertThat(next(again).data().get("id").asText()).isEqualTo("b");
      }
    }
  }

  @Test
  void endsAStreamAfterTheLimitWithTheTimesOfCommits() throws Exception {
    String before = put("a", "x", 0);
    rest.post(
            "/collections/c/batch",
            "{\"partitionKey\":\"x\",\"operations\":["
                + "{\"op\":\"upsert\",\"item\":{\"id\":\"a\",\"pk\":\"x\",\"v\":1}},"
                + "{\"op\":\"upsert\",\"item\":{\"id\":\"b\",\"pk\":\"x\",\"v\":2}}]}")
        .is(200);
    put("c", "x", 3);
    put("d", "x", 4);
    String query = CHANGES + "?mode=all&details=true&since=" + before;
    JsonNode page = rest.ask("GET", query, null).is(200).json().get("changes");
    List<JsonNode> sent = new ArrayList<>();
    Events.Event event = null;
    for (String position = before; sent.size() < 4; position = event.id()) {
      try (Events events = Events.at(rest, query + "&limit=1", "Last-Event-ID", position)) {
        for (event = next(events); event.name().equals("change"); event = next(events)) {
          sent.add(event.data());
        }
        assertThat(event.name()).isEqualTo("end");
        assertThat(event.id()).isEqualTo(event.data().get("versionstamp").asText());
        assertThat(event.id()).isEqualTo(sent.get(sent.size() - 1).get("versionstamp").asText());
        assertThat(events.next()).isNull();
      }
      assertThat(sent).as("whole commits").hasSizeGreaterThanOrEqualTo(2);
    }
    assertThat(sent).isEqualTo(List.of(page.get(0), page.get(1), page.get(2), page.get(3)));
    assertThat(sent).allSatisfy(change -> assertThat(change.get("millis").asLong()).isPositive());
  }

  private int feeds() {
    return site.kv.admin().stats().block(TestServer.TIMEOUT).readers().feeds();
  }

  /** A feed that is given up for a slow caller goes on after a whole commit. */
  @Test
  void sendsEachChangeOnceToASlowCaller() throws Exception {
    int commits = 24; // of 12 times 60 KB: far more than sockets buffer
    List<String> written = new ArrayList<>();
    for (int commit = 0; commit < commits; commit++) {
      List<String> operations = new ArrayList<>();
      for (int item = 0; item < 12; item++) {
        String id = commit + "-" + item;
        written.add(id);
        operations.add(
            "{\"op\":\"create\",\"item\":{\"id\":\"%s\",\"pk\":\"x\",\"text\":\"%s\"}}"
                .formatted(id, "x".repeat(60_000)));
      }
      String batch = "{\"partitionKey\":\"x\",\"operations\":[" + String.join(",", operations);
      rest.post("/collections/c/batch", batch + "]}").is(200);
    }
    int feeds = feeds(); // those of the collection itself
    long before = site.read.get();
    try (SlowClient slow = new SlowClient(site.uri())) {
      slow.get(CHANGES + "?mode=all&since=00000000000000000000", "text/event-stream");
      Conditions.await(() -> site.heldForAnswers() > 0 && feeds() == feeds); // it is given up
      assertThat(site.read.get() - before).isLessThan(commits);
      assertThat(site.heldForAnswers()).isLessThan(1 << 20);
      BufferedReader lines = new BufferedReader(new InputStreamReader(slow.in(), UTF_8));
      List<String> sent = new ArrayList<>();
      while (sent.size() < written.size()) {
        String line = lines.readLine();
        if (line.startsWith("data:") && line.contains("\"item\"")) {
          sent.add(Rest.json(line.substring("data:".length())).get("id").asText());
        }
      }
      assertThat(sent).isEqualTo(written);
    }
  }

  @Test
  void streamsOnePartitionFromNow() throws Exception {
    put("a", "x", 1);
    try (Events events = Events.at(rest, CHANGES + "?partitionKey=%22x%22")) {
      assertThat(events.next().name()).isEqualTo("bookmark");
      put("b", "y", 2);
      put("a", "x", 3);
      assertThat(next(events).data().at("/item/v").asInt()).isEqualTo(3);
    }
  }

  private static Events.Event next(Events events) throws Exception {
    Events.Event event = events.next();
    while (event.name().equals("bookmark")) {
      event = events.next();
    }
    return event;
  }

  @Test
  void deletesWhatAQueryFinds() {
    for (int i = 0; i < 30; i++) {
      put("i" + i, "x", i);
    }
    Answer answer =
        rest.post("/collections/c/delete", "{\"query\":\"SELECT * FROM c WHERE c.v < 20\"}")
            .is(200);
    JsonNode last = answer.lastLine();
    assertThat(last.get("done").asBoolean()).isTrue();
    assertThat(last.get("deleted").asInt()).isEqualTo(20);
    assertThat(last.get("changed").asInt()).isZero();
    assertThat(texts(rest.ask("GET", CHANGES, null).is(200).json().get("changes"))).hasSize(10);
    rest.post("/collections/c/delete", "{\"query\":\"SELECT c.id FROM c\"}").is(400);
    rest.post("/collections/none/delete", "{\"query\":\"SELECT * FROM c\"}").is(404);
  }
}
