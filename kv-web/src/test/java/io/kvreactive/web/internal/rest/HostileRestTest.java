package io.kvreactive.web.internal.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.testing.ShortTries;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Hostile requests cause no server error and do not stop the server. */
class HostileRestTest {
  private static final List<String> NAMES =
      List.of(
          "checks",
          "mutations",
          "enqueues",
          "type",
          "key",
          "value",
          "versionstamp",
          "expireIn",
          "expireAt",
          "prefix",
          "start",
          "end",
          "min",
          "max",
          "clamp",
          "queue",
          "delay",
          "backoff",
          "keysIfUndelivered",
          "keys",
          "token",
          "afterMs",
          "leaseMs",
          "path",
          "$bigint",
          "$bytes",
          "$u64",
          "$v8",
          "$map",
          "$object",
          "$key",
          "$sparse",
          "$hole",
          "$error",
          "$typedArray");
  private static final List<String> TEXTS =
      List.of(
          "set",
          "setSuffixed",
          "delete",
          "deleteRange",
          "sum",
          "min",
          "max",
          "touch",
          "",
          "AQI=",
          "/w8=",
          "00000000000000010000",
          "123",
          "-1",
          "\u0000",
          "\\ud800",
          "NaN",
          "..",
          "Int8Array");
  private static Vertx vertx;
  private static TestServer server;
  private static Rest rest;

  @BeforeContainer
  static void start() {
    vertx = Vertx.vertx();
    server = TestServer.start(vertx);
    rest = new Rest(server);
  }

  @AfterContainer
  static void stop() {
    server.close();
    vertx.close().await();
  }

  @Provide
  Arbitrary<String> json() {
    Arbitrary<String> leaves =
        Arbitraries.oneOf(
            Arbitraries.of(TEXTS).map(text -> "\"" + text.replace("\u0000", "\\u0000") + "\""),
            Arbitraries.of(
                "null",
                "true",
                "false",
                "0",
                "-1",
                "1.5",
                "1e999",
                "-0.0",
                "9223372036854775808",
                "1" + "0".repeat(400),
                "[]",
                "{}"),
            Arbitraries.longs().map(String::valueOf),
            Arbitraries.doubles().map(String::valueOf));
    Arbitrary<String> json = leaves;
    for (int depth = 0; depth < 3; depth++) {
      Arbitrary<String> inner = json;
      json =
          Arbitraries.oneOf(
              leaves,
              inner.list().ofMaxSize(3).map(all -> "[" + String.join(",", all) + "]"),
              object(inner),
              commit(inner));
    }
    return json;
  }

  private static Arbitrary<String> object(Arbitrary<String> values) {
    Arbitrary<String> property =
        Combinators.combine(Arbitraries.of(NAMES), values)
            .as((name, value) -> "\"" + name + "\":" + value);
    return property.list().ofMaxSize(4).map(all -> "{" + String.join(",", all) + "}");
  }

  /** Nearly valid requests, which reach more of the code. */
  private static Arbitrary<String> commit(Arbitrary<String> values) {
    return Combinators.combine(Arbitraries.of(TEXTS.subList(0, 8)), values, values, values)
        .as(
            (type, key, value, other) ->
                "{\"mutations\":[{\"type\":\"%s\",\"key\":[%s],\"value\":%s,\"expireIn\":%s}]}"
                    .formatted(type, key, value, other));
  }

  @Property(tries = 300)
  @ShortTries(75)
  void neverFailsOnHostileBodies(@ForAll("json") String body) {
    for (String path :
        List.of(
            "/atomic",
            "/entries/get",
            "/enqueue",
            "/queue/ack",
            "/queue/nack",
            "/queue/extend",
            "/backup")) {
      assertNotAtFault(rest.post(path, body));
    }
    assertNotAtFault(rest.put(Rest.key("v"), body));
    assertNotAtFault(rest.post("/import", body, "Content-Type", "application/x-ndjson"));
    assertNotAtFault(rest.get("/entry?key=" + Rest.encode(body)));
    assertNotAtFault(rest.get("/entries?prefix=" + Rest.encode(body)));
    assertNotAtFault(rest.get("/tree?prefix=" + Rest.encode(body)));
  }

  @Property(tries = 100)
  @ShortTries(25)
  void neverFailsOnRandomBytes(@ForAll byte[] body, @ForAll String text) {
    assertNotAtFault(rest.ask("POST", "/atomic", BodyPublishers.ofByteArray(body)));
    assertNotAtFault(
        rest.ask(
            "POST",
            "/import",
            BodyPublishers.ofByteArray(body),
            "Content-Type",
            "application/x-ndjson"));
    String query = Rest.encode(text);
    assertNotAtFault(rest.get("/entries?cursor=" + query));
    assertNotAtFault(rest.get("/tree?cursor=" + query));
    assertNotAtFault(rest.get("/changes?since=" + query));
    assertNotAtFault(rest.get("/entry?key=%5B1%5D&" + query + "=" + query));
  }

  private static void assertNotAtFault(Answer answer) {
    assertThat(answer.response().statusCode()).as(answer.request() + answer.body()).isLessThan(500);
  }

  @Property(tries = 1)
  void readsValuesStoredByHostileRequests() {
    rest.get("/entries?limit=1000").is(200);
    rest.get("/export").is(200);
    rest.get("/changes?limit=10000&since=" + "0".repeat(20)).is(200);
    rest.get("/tree").is(200);
  }

  @Property(tries = 1)
  void rejectsQueryStringsThatAreNotUtf8() throws Exception {
    for (String query : List.of("key=%ZZ", "key=%", "key=%5B%22%ED%A0%80%22%5D", "%00=1")) {
      try (SlowClient client = new SlowClient(server.uri(""))) {
        client.send(
            "GET /api/v1/entry?%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer %s\r\n\r\n"
                .formatted(query, TestServer.TOKEN));
        assertThat(client.rest()).matches("(?s)HTTP/1.1 4\\d\\d .*");
      }
    }
  }
}
