package io.kvreactive.web.internal.rest;

import static io.kvreactive.web.internal.rest.Rest.key;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.web.Conditions;
import io.kvreactive.web.NonBlockingThreads;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(VertxExtension.class)
@ExtendWith(NonBlockingThreads.class)
class AtomicRestTest {
  private static TestServer server;
  private static Rest rest;

  @BeforeAll
  static void start(Vertx vertx) {
    server = TestServer.start(vertx);
    rest = new Rest(server);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void empty() {
    rest.clear();
  }

  private static JsonNode value(String... key) {
    return rest.get("/entry?key=" + key(key)).is(200).json().get("value");
  }

  @Test
  void appliesAllMutationsAtomically() {
    rest.put(key("gone"), "1").is(200);
    rest.put(key("dir", "a"), "1").is(200);
    rest.put(key("t"), "1").is(200);
    Answer done =
        rest.post(
                "/atomic",
                """
                {"checks":[{"key":["new"],"versionstamp":null}],
                 "mutations":[
                  {"type":"set","key":["new"],"value":{"a":1},"expireAt":9999999999999},
                  {"type":"setSuffixed","key":["log"],"value":"x"},
                  {"type":"delete","key":["gone"]},
                  {"type":"deleteRange","prefix":["dir"]},
                  {"type":"sum","key":["u"],"value":{"$u64":"5"}},
                  {"type":"sum","key":["n"],"value":7,"max":5,"clamp":true},
                  {"type":"sum","key":["b"],"value":{"$bigint":"3"},"min":{"$bigint":"0"}},
                  {"type":"min","key":["u"],"value":{"$u64":"2"}},
                  {"type":"max","key":["m"],"value":{"$u64":"9"}},
                  {"type":"touch","key":["t"],"expireAt":9999999999998}]}
                """)
            .is(200);
    assertThat(done.json().get("committed").booleanValue()).isTrue();
    String stamp = done.text("versionstamp");
    assertThat(done.header("X-Kv-Versionstamp")).isEqualTo(stamp);
    assertThat(value("new").toString()).isEqualTo("{\"a\":1}");
    assertThat(value("log", stamp).asText()).isEqualTo("x");
    rest.get("/entry?key=" + key("gone")).is(404);
    rest.get("/entry?key=" + key("dir", "a")).is(404);
    assertThat(value("u").toString()).isEqualTo("{\"$u64\":\"2\"}");
    assertThat(value("n").doubleValue())
        .isEqualTo(7); // the result for an absent key is the operand
    assertThat(value("b").toString()).isEqualTo("{\"$bigint\":\"3\"}");
    assertThat(value("m").toString()).isEqualTo("{\"$u64\":\"9\"}");
    assertThat(rest.get("/entry?key=" + key("t")).json().get("expireAt").longValue())
        .isEqualTo(9999999999998L);
  }

  @Test
  void reportsAllFailedChecksOfAConflict() {
    String stamp = rest.put(key("a"), "1").text("versionstamp");
    Answer answer =
        rest.post(
                "/atomic",
                """
                {"checks":[{"key":["a"],"versionstamp":null},{"key":["a"],"versionstamp":"%s"},
                 {"key":["b"],"versionstamp":"%s"}],
                 "mutations":[{"type":"set","key":["a"],"value":2}]}
                """
                    .formatted(stamp, stamp))
            .is(200);
    assertThat(answer.json().toString()).isEqualTo("{\"committed\":false,\"failedChecks\":[0,2]}");
    assertThat(value("a").intValue()).isEqualTo(1);
  }

  @Test
  void checksThatRangesAreUnchanged() {
    String before = rest.put(key("dir", "a"), "1").text("versionstamp");
    String commit =
        """
        {"checks":[{"prefix":["dir"],"unchangedSince":"%s"},{"key":["new"],"versionstamp":null},
         {"start":["x"],"end":["y"],"unchangedSince":"%s"}],
         "mutations":[{"type":"set","key":["%s"],"value":2}]}
        """;
    rest.post("/atomic", commit.formatted(before, before, "other")).is(200);
    assertThat(value("other").intValue()).isEqualTo(2);
    rest.put(key("dir", "b"), "1").is(200);
    assertThat(rest.post("/atomic", commit.formatted(before, before, "other")).body())
        .isEqualTo("{\"committed\":false,\"failedChecks\":[0]}");
    rest.put(key("new"), "1").is(200);
    rest.put(key("x", "1"), "1").is(200);
    assertThat(rest.post("/atomic", commit.formatted(before, before, "other")).body())
        .isEqualTo("{\"committed\":false,\"failedChecks\":[0,1,2]}");
    String now = rest.get("/entries").header("X-Kv-Versionstamp");
    assertThat(rest.post("/atomic", commit.formatted(before, now, "other")).body())
        .isEqualTo("{\"committed\":false,\"failedChecks\":[0,1]}");
    String later = "ffffffffffffffff0000";
    assertThat(rest.post("/atomic", commit.formatted(now, later, "other")).body())
        .as("a version that never was")
        .isEqualTo("{\"committed\":false,\"failedChecks\":[1,2]}");
  }

  @Test
  void executesARepeatedCommitOnce() {
    String body = "{\"mutations\":[{\"type\":\"sum\",\"key\":[\"s\"],\"value\":{\"$u64\":\"1\"}}]}";
    Answer first = rest.post("/atomic", body, "Idempotency-Key", "once").is(200);
    Answer second = rest.post("/atomic", body, "Idempotency-Key", "once").is(200);
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(value("s").toString()).isEqualTo("{\"$u64\":\"1\"}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[]|BAD_REQUEST|body",
        "{\"mutation\":[]}|BAD_REQUEST|mutation",
        "{\"mutations\":{}}|BAD_REQUEST|mutations",
        "{\"mutations\":[1]}|BAD_REQUEST|mutations[0]",
        "{\"mutations\":[{}]}|BAD_REQUEST|type",
        "{\"mutations\":[{\"type\":\"put\"}]}|BAD_REQUEST|put",
        "{\"mutations\":[{\"type\":\"set\",\"key\":[1]}]}|BAD_REQUEST|value",
        "{\"mutations\":[{\"type\":\"set\",\"key\":[1],\"value\":1,\"clamp\":true}]}|BAD_REQUEST|clamp",
        "{\"mutations\":[{\"type\":\"set\",\"key\":[null],\"value\":1}]}|INVALID_KEY|mutations[0].key",
        "{\"mutations\":[{\"type\":\"set\",\"key\":[],\"value\":1}]}|INVALID_KEY|key",
        "{\"mutations\":[{\"type\":\"set\",\"key\":[1],\"value\":{\"$x\":1}}]}|INVALID_VALUE|mutations[0].value",
        "{\"mutations\":[{\"type\":\"set\",\"key\":[1],\"value\":1,\"expireIn\":-1}]}|BAD_REQUEST|expireIn",
        "{\"mutations\":[{\"type\":\"set\",\"key\":[1],\"value\":1,\"expireIn\":1.5}]}|BAD_REQUEST|expireIn",
        "{\"mutations\":[{\"type\":\"set\",\"key\":[1],\"value\":1,\"expireIn\":9223372036854775807}]}|BAD_REQUEST|expireIn",
        "{\"mutations\":[{\"type\":\"deleteRange\"}]}|BAD_REQUEST|range",
        "{\"mutations\":[{\"type\":\"sum\",\"key\":[1],\"value\":\"x\"}]}|TYPE_MISMATCH|",
        "{\"mutations\":[{\"type\":\"min\",\"key\":[1],\"value\":1}]}|TYPE_MISMATCH|",
        "{\"mutations\":[{\"type\":\"touch\",\"key\":[1]}]}|BAD_REQUEST|expireAt",
        "{\"checks\":[{\"key\":[1],\"versionstamp\":\"12\"}]}|INVALID_VERSIONSTAMP|checks[0]",
        "{\"checks\":[{\"key\":[1]}]}|BAD_REQUEST|versionstamp",
        "{\"checks\":[{}]}|BAD_REQUEST|property key is missing",
        "{\"checks\":[{\"prefix\":[1]}]}|BAD_REQUEST|property unchangedSince is missing",
        "{\"checks\":[{\"unchangedSince\":\"00000000000000000000\"}]}|BAD_REQUEST|no range",
        "{\"checks\":[{\"prefix\":[1],\"unchangedSince\":null}]}|BAD_REQUEST|unchangedSince",
        "{\"checks\":[{\"prefix\":[1],\"unchangedSince\":\"1\"}]}|INVALID_VERSIONSTAMP|checks[0]",
        "{\"checks\":[{\"key\":[1],\"unchangedSince\":\"00000000000000000000\"}]}|BAD_REQUEST|\"key\"",
        "{\"checks\":[{\"start\":[2],\"end\":[1],\"unchangedSince\":\"00000000000000000000\"}]}|INVALID_RANGE|",
        "{\"enqueues\":[{}]}|BAD_REQUEST|value",
        "{\"enqueues\":[{\"value\":1,\"backoff\":[-1]}]}|BAD_REQUEST|backoff[0]",
      })
  void rejectsInvalidCommits(String body, String code, String named) {
    Answer answer = rest.post("/atomic", body).problem(400, code);
    assertThat(answer.text("detail")).contains(named == null ? "" : named);
  }

  @Test
  void rejectsSumsOutsideTheirBounds() {
    rest.put(key("n"), "4").is(200);
    rest.post(
            "/atomic", "{\"mutations\":[{\"type\":\"sum\",\"key\":[\"n\"],\"value\":4,\"max\":5}]}")
        .problem(400, "OUT_OF_RANGE");
    rest.put(key("n"), "\"text\"").is(200);
    rest.post("/atomic", "{\"mutations\":[{\"type\":\"sum\",\"key\":[\"n\"],\"value\":4}]}")
        .problem(400, "TYPE_MISMATCH");
  }

  /** Claims a message, and leases it for longer than a test takes. */
  private static JsonNode claim(String queue) {
    return rest.post(
            "/queue/claim",
            "{\"queue\":\"%s\",\"max\":10,\"waitMs\":50000,\"leaseMs\":600000}".formatted(queue))
        .is(200)
        .json()
        .at("/messages/0");
  }

  private static int leased(String queue) {
    for (JsonNode each : rest.get("/queues").is(200).json().get("queues")) {
      if (each.get("name").asText().equals(queue)) {
        return each.get("leased").intValue();
      }
    }
    throw new AssertionError("no queue " + queue);
  }

  @Test
  void claimsAndAcksMessages() {
    rest.post("/enqueue", "{\"value\":{\"to\":\"ada\"},\"queue\":\"mails\"}").is(200);
    JsonNode message = claim("mails");
    assertThat(message.get("value").toString()).isEqualTo("{\"to\":\"ada\"}");
    assertThat(message.get("attempt").intValue()).isEqualTo(1);
    assertThat(message.get("lastAttempt").booleanValue()).isFalse();
    String token = "{\"token\":\"" + message.get("token").asText() + "\"}";
    rest.post("/queue/extend", token.replace("}", ",\"leaseMs\":600000}")).is(200);
    assertThat(leased("mails")).isEqualTo(1);
    rest.post("/queue/ack", token).is(200);
    rest.post("/queue/nack", token).problem(409, "LEASE_LOST");
    rest.post("/queue/extend", token).problem(409, "LEASE_LOST");
    assertThat(rest.post("/queue/claim", "{\"queue\":\"mails\"}").is(200).body())
        .isEqualTo("{\"messages\":[]}");
  }

  @Test
  void redeliversANackedMessageAndThenStoresItUnderItsKeys() {
    rest.post(
            "/atomic",
            """
            {"enqueues":[{"value":"x","queue":"q","backoff":[0],"keysIfUndelivered":[["dead"]]}]}
            """)
        .is(200);
    for (int attempt = 1; attempt <= 2; attempt++) {
      JsonNode message = claim("q");
      assertThat(message.get("attempt").intValue()).isEqualTo(attempt);
      assertThat(message.get("lastAttempt").booleanValue()).isEqualTo(attempt == 2);
      rest.post("/queue/nack", "{\"token\":\"" + message.get("token").asText() + "\"}").is(200);
    }
    assertThat(value("dead").asText()).isEqualTo("x");
  }

  @Test
  void answersAClaimAtTheFirstMessage() throws Exception {
    var waiting =
        Rest.client()
            .sendAsync(
                rest.request(
                    "POST", "/queue/claim", Rest.body("{\"queue\":\"later\",\"waitMs\":50000}")),
                java.net.http.HttpResponse.BodyHandlers.ofString());
    rest.post("/enqueue", "{\"value\":1,\"queue\":\"later\"}").is(200);
    assertThat(Rest.json(waiting.get().body()).get("messages")).hasSize(1);
  }

  @Test
  void answersAWaitingClaimWhenTheServerStops(Vertx vertx) throws Exception {
    try (TestServerContext site = new TestServerContext(vertx)) {
      var waiting =
          Rest.client()
              .sendAsync(
                  site.rest().request("POST", "/queue/claim", Rest.body("{\"waitMs\":60000}")),
                  java.net.http.HttpResponse.BodyHandlers.ofString());
      Conditions.await(() -> !site.kv.admin().stats().block(TestServer.TIMEOUT).queues().isEmpty());
      site.lifecycle.drain();
      assertThat(waiting.get().body()).isEqualTo("{\"messages\":[]}");
    }
  }

  @ParameterizedTest
  @CsvSource({"''", "x", "AAAA", "'****'"})
  void rejectsMalformedLeaseTokens(String token) {
    rest.post("/queue/ack", "{\"token\":\"" + token + "\"}").problem(400, "BAD_REQUEST");
  }

  @Test
  void limitsLeaseTokensToTheirDatabase() {
    rest.post("/enqueue", "{\"value\":1,\"queue\":\"here\"}").is(200);
    String token = claim("here").get("token").asText();
    rest.at("/db/other").post("/enqueue", "{\"value\":1}").is(200);
    rest.at("/db/other")
        .post("/queue/ack", "{\"token\":\"" + token + "\"}")
        .problem(400, "BAD_REQUEST");
    rest.post("/queue/ack", "{\"token\":\"" + token + "\"}").is(200);
  }
}
