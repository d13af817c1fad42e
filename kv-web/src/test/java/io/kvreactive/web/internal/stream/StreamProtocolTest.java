package io.kvreactive.web.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvKey;
import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.StreamOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.auth.AccessRight;
import io.kvreactive.web.internal.auth.Authenticator;
import io.kvreactive.web.internal.auth.Grant;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.UpgradeRejectedException;
import io.vertx.core.http.WebSocketFrame;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(VertxExtension.class)
class StreamProtocolTest {
  private static final Duration NEVER = Duration.ofHours(1);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'op':'list','id':1,'prefix':'users'} | INVALID_KEY | array",
        "{'op':'list','id':1,'prefix':['a'],'start':['b']} | INVALID_RANGE | continues the prefix",
        "{'op':'list','id':1,'start':['b'],'end':['a']} | INVALID_RANGE | not after the end",
        "{'op':'list','id':1,'limit':0} | INVALID_ARGUMENT | at least 1",
        "{'op':'list','id':1,'credit':-1} | INVALID_ARGUMENT | at least 0",
        "{'op':'list','id':1,'creditBytes':-1} | INVALID_ARGUMENT | at least 0",
        "{'op':'watch','id':1,'keys':[['a']],'creditBytes':1} | INVALID_ARGUMENT | property"
            + " \"creditBytes\" (expected: one of op, id, credit, keys)",
        "{'op':'itemChanges','id':1,'collection':'c','creditBytes':-1} | INVALID_ARGUMENT | at"
            + " least 0",
        "{'op':'list','id':1,'consistency':'strong'} | INVALID_ARGUMENT | page or snapshot",
        "{'op':'list','id':1,'cursor':'!'} | INVALID_CURSOR | cursor",
        "{'op':'list','id':1,'revers':true} | INVALID_ARGUMENT | property \"revers\"",
        "{'op':'list','id':1,'reverse':null} | INVALID_ARGUMENT | reverse: null",
        "{'op':'changes','id':1,'since':7} | INVALID_ARGUMENT | since: 7",
        "{'op':'query','id':1,'collection':'c','query':7} | BAD_REQUEST | body.query: 7",
        "{'op':'query','id':1,'collection':7,'query':''} | INVALID_ARGUMENT | collection: 7",
        "{'op':'query','id':1,'collection':'c','explain':true} | INVALID_ARGUMENT | explain",
        "{'op':'itemChanges','id':1,'collection':'c','mode':'x'} | BAD_REQUEST | latest or all",
        "{'op':'itemChanges','id':1,'collection':'c','mode':7} | INVALID_ARGUMENT | mode: 7",
        "{'op':'itemChanges','id':1,'collection':'c','partitionKey':{}} | BAD_REQUEST | array",
        "{'op':'itemChanges','id':1,'collection':'c','range':'x'} | INVALID_ARGUMENT | range",
        "{'op':'watch','id':1,'keys':[]} | INVALID_ARGUMENT | at least one",
        "{'op':'watch','id':1} | INVALID_ARGUMENT | an array of keys",
        "{'op':'changes','id':1,'since':'12'} | INVALID_VERSIONSTAMP | 20 hex digits",
        "{'op':'changes','id':1,'since':'ffffff00000000000000','credit':1} | INVALID_ARGUMENT |"
            + " since",
        "{'op':'changes','id':1,'since':'00000000000000000000','list':true} | INVALID_ARGUMENT |"
            + " since",
        "{'op':'changes','id':1,'oldValues':true,'credit':1,'since':'00000000000000000000'} |"
            + " INVALID_ARGUMENT | old"
      })
  void endsOnlyTheInvalidSubscription(String message, String code, String detail, Vertx vertx) {
    try (StreamServer server = StreamServer.start(vertx);
        StreamClient client = server.connect()) {
      client.say("{'op':'watch','id':5,'keys':[['a']],'credit':100}");
      client.next("state");
      client.say(message);
      JsonNode error = client.next("error");
      assertThat(error.get("id").asLong()).isEqualTo(1);
      assertThat(error.get("code").asText()).isEqualTo(code);
      assertThat(error.get("detail").asText()).contains(detail);
      assertThat(error.get("retryable").isBoolean()).isTrue();
      server.set(1, "a");
      client.next("state");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "{'op':'delete','id':1}",
        "{'id':1}",
        "{'op':'list'}",
        "{'op':'list','id':-1}",
        "{'op':'list','id':1.5}",
        "{'op':'list','id':'1'}",
        "{'op':'list','id':99999999999999999999}",
        "{'op':'list','id':1,'id':2}",
        "{'op':'list','id':1,'credit':'many'}",
        "{'op':'list','id':1,'credit':null,'unknown':1}",
        "{'op':'list','id':1,'limit':'all'}",
        "{'op':'changes','id':1,'creditBytes':1.5}",
        "{'op':'credit','id':1}",
        "{'op':'ping'} {'op':'ping'}"
      })
  void closesTheConnectionOnAMalformedFrame(String message, Vertx vertx) {
    try (StreamServer server = StreamServer.start(vertx);
        StreamClient client = server.connect()) {
      client.say(message);
      JsonNode error = client.next("error");
      assertThat(error.get("code").asText()).isEqualTo("BAD_REQUEST");
      assertThat(error.get("detail").asText()).isNotEmpty();
      assertThat(client.closeCode()).isEqualTo(4400);
    }
  }

  @Test
  void closesTheConnectionOnADuplicateId(Vertx vertx) {
    try (StreamServer server = StreamServer.start(vertx);
        StreamClient client = server.connect()) {
      client.say("{'op':'watch','id':5,'keys':[['a']]}");
      client.say("{'op':'list','id':5}");
      assertThat(client.next("error").get("detail").asText()).contains("expected: an unused id");
      assertThat(client.closeCode()).isEqualTo(4400);
    }
  }

  @Test
  void rejectsBinaryMessages(Vertx vertx) {
    try (StreamServer server = StreamServer.start(vertx);
        StreamClient client = server.connect()) {
      client.ws().writeBinaryMessage(Buffer.buffer("{}"));
      assertThat(client.next("error").get("detail").asText()).contains("text");
      assertThat(client.closeCode()).isEqualTo(4400);
    }
  }

  @Test
  void acceptsFragmentedMessages(Vertx vertx) {
    try (StreamServer server = StreamServer.start(vertx);
        StreamClient client = server.connect()) {
      client.ws().writeFrame(WebSocketFrame.textFrame("", false));
      client.ws().writeFrame(WebSocketFrame.continuationFrame(Buffer.buffer("{\"op\""), false));
      client.ws().writeFrame(WebSocketFrame.continuationFrame(Buffer.buffer(":\"ping\"}"), true));
      client.next("pong");
    }
  }

  @Test
  void closesTheConnectionOnATooLargeMessage(Vertx vertx) {
    try (StreamServer server = StreamServer.start(vertx);
        StreamClient client = server.connect()) {
      Buffer part = Buffer.buffer(" ".repeat(60_000));
      client.ws().writeFrame(WebSocketFrame.textFrame(" ", false));
      for (int i = 0; i < 20; i++) {
        client.ws().writeFrame(WebSocketFrame.continuationFrame(part, false));
      }
      assertThat(client.closeCode()).isEqualTo(1009);
    }
  }

  @Test
  void endsTheSubscriptionOnCreditBelowOne(Vertx vertx) {
    try (StreamServer server = StreamServer.start(vertx);
        StreamClient client = server.connect()) {
      client.say("{'op':'watch','id':5,'keys':[['a']]}");
      client.say("{'op':'credit','id':5,'n':0}");
      assertThat(client.next("error").get("code").asText()).isEqualTo("INVALID_ARGUMENT");
      client.say("{'op':'watch','id':5,'keys':[['a']],'credit':1}"); // the id may be reused
      client.next("state");
    }
  }

  @Test
  void limitsSubscriptions(Vertx vertx) {
    StreamOptions few = StreamOptions.DEFAULT.withMaxSubscriptions(3);
    try (StreamServer server = StreamServer.start(vertx, token -> Grant.all("all"), few);
        StreamClient client = server.connect()) {
      for (int i = 0; i < 4; i++) {
        client.say("{'op':'watch','id':" + i + ",'keys':[['a']]}");
      }
      JsonNode error = client.next("error");
      assertThat(error.get("id").asInt()).isEqualTo(3);
      assertThat(error.get("code").asText()).isEqualTo("LIMIT_EXCEEDED");
      client.say("{'op':'cancel','id':0}");
      client.say("{'op':'watch','id':3,'keys':[['a']],'credit':1}");
      client.next("state");
    }
  }

  @Test
  void limitsATokenToItsPrefixes(Vertx vertx) {
    Grant grant =
        new Grant("some", Set.of(AccessRight.READ), List.of(KvKey.of("mine")), Set.of(), null);
    try (StreamServer server = StreamServer.start(vertx, token -> grant, StreamOptions.DEFAULT);
        StreamClient client = server.connect()) {
      for (String denied :
          List.of(
              "{'op':'list','id':1,'credit':1}",
              "{'op':'list','id':1,'prefix':['theirs']}",
              "{'op':'watch','id':1,'keys':[['mine'],['theirs']]}",
              "{'op':'changes','id':1,'start':['mine'],'end':['n']}")) {
        client.say(denied);
        assertThat(client.next("error").get("code").asText()).isEqualTo("FORBIDDEN");
      }
      client.say("{'op':'list','id':1,'prefix':['mine'],'credit':1}");
      client.next("end");
    }
  }

  @Test
  void requiresReadAccess(Vertx vertx) {
    Grant grant = new Grant("some", Set.of(AccessRight.WRITE), List.of(), Set.of(), null);
    try (StreamServer server = StreamServer.start(vertx, token -> grant, StreamOptions.DEFAULT)) {
      assertThatThrownBy(server::connect).hasStackTraceContaining("403");
    }
  }

  @Test
  void namesSubscriptionsWithoutCreditInThePong(Vertx vertx) {
    try (StreamServer server = StreamServer.start(vertx);
        StreamClient client = server.connect()) {
      client.say("{'op':'watch','id':7,'keys':[['a']],'credit':1}");
      client.next("state");
      client.say("{'op':'changes','id':3}");
      client.say("{'op':'changes','id':4,'credit':1}");
      client.say("{'op':'ping'}");
      List<JsonNode> said = client.until("pong");
      assertThat(said.get(said.size() - 1).path("withoutCredit")).hasToString("[3,7]");
      client.say("{'op':'credit','id':7,'n':1}");
      client.say("{'op':'cancel','id':3}");
      client.say("{'op':'ping'}");
      said = client.until("pong");
      assertThat(said.get(said.size() - 1).has("withoutCredit")).isFalse();
    }
  }

  @Test
  void acceptsTheTokenAsASubprotocolWithoutEchoingIt(Vertx vertx) {
    try (TestServer server = TestServer.start(vertx);
        StreamClient client =
            StreamClient.connect(
                vertx, server.port(), List.of("kv.v1", "bearer." + TestServer.TOKEN))) {
      assertThat(client.ws().subProtocol()).isEqualTo("kv.v1");
      client.say("{'op':'ping'}");
      client.next("pong");
      assertThatThrownBy(
              () ->
                  StreamClient.connect(vertx, server.port(), List.of("bearer." + TestServer.TOKEN)))
          .hasStackTraceContaining("400");
      assertThatThrownBy(
              () -> StreamClient.connect(vertx, server.port(), List.of("kv.v1", "bearer.wrong")))
          .hasStackTraceContaining("401");
    }
  }

  @Test
  void answersAPlainRequestWithTheExpectedUpgrade(Vertx vertx) throws Exception {
    try (TestServer server = TestServer.start(vertx)) {
      var response = server.get("/api/v1/stream");
      assertThat(response.statusCode()).isEqualTo(400);
      assertThat(response.body()).contains("Upgrade: websocket");
    }
  }

  @Test
  void rejectsAWatchOfTheEmptyKey(Vertx vertx) {
    try (StreamServer server = StreamServer.start(vertx);
        StreamClient client = server.connect()) {
      client.say("{'op':'watch','id':1,'keys':[['a'],[]],'credit':1}");
      assertThat(client.next("error").toString())
          .contains("\"INVALID_KEY\"")
          .contains("keys[1]: [] (expected: at least one part)");
      client.say("{'op':'watch','id':2,'keys':[['a']],'credit':1}");
      client.next("state");
    }
  }

  @Test
  void opensTheDatabaseForAStream(@TempDir Path directory, Vertx vertx) throws Exception {
    try (TestServer before = TestServer.start(vertx, ServerOptions.at(directory))) {
      before.post("/db/other/api/v1/enqueue", "{\"value\":1}");
    }
    try (TestServer server = TestServer.start(vertx, ServerOptions.at(directory));
        StreamClient client =
            StreamClient.connect(
                vertx,
                server.port(),
                "/db/other/api/v1/stream",
                List.of("kv.v1", "bearer." + TestServer.TOKEN))) {
      client.say("{'op':'watch','id':1,'keys':[['a']],'credit':1}");
      client.next("state");
    }
  }

  // ---- ends

  @Test
  void sendsTheResumePointWhenTheServerStops(Vertx vertx) {
    try (StreamServer server = StreamServer.start(vertx);
        StreamClient client = server.connect()) {
      client.say("{'op':'watch','id':1,'keys':[['a']],'credit':100}");
      client.next("state");
      client.say("{'op':'changes','id':2,'prefix':['n'],'credit':1000}");
      client.next("bookmark");
      for (int i = 0; i < 20; i++) {
        server.set(i, "n", i);
      }
      server.lifecycle().drain();
      for (int i = 20; i < 50; i++) {
        server.set(i, "n", i);
      }
      List<JsonNode> frames = client.until("goingAway");
      JsonNode last = frames.get(frames.size() - 1);
      assertThat(last.get("retryAfterMs").asLong()).isBetween(1_000L, 5_000L);
      assertThat(last.get("resume").has("1")).isFalse();
      assertThat(client.closeCode()).isEqualTo(1001);
      assertThatThrownBy(server::connect).hasStackTraceContaining("503");

      List<Integer> seen = new ArrayList<>();
      commits(frames, seen);
      try (StreamServer again = StreamServer.over(vertx, server.kv());
          StreamClient resumed = again.connect()) {
        resumed.say(
            "{'op':'changes','id':9,'prefix':['n'],'credit':1000,'since':"
                + last.get("resume").get("2")
                + "}");
        while (seen.size() < 50) {
          commits(List.of(resumed.next()), seen);
        }
      }
      assertThat(seen)
          .containsExactlyElementsOf(java.util.stream.IntStream.range(0, 50).boxed().toList());
    }
  }

  /** A client can tell by the code that the handshake had no effect and may succeed later. */
  @Test
  void rejectsHandshakesWithTheCodeOfAProblem(Vertx vertx) {
    try (StreamServer server = StreamServer.start(vertx)) {
      server.lifecycle().drain();
      UpgradeRejectedException rejected =
          catchThrowableOfType(
              UpgradeRejectedException.class,
              () ->
                  vertx
                      .createWebSocketClient()
                      .connect(server.port(), "127.0.0.1", "/api/v1/stream")
                      .await());
      assertThat(rejected.getStatus()).isEqualTo(503);
      assertThat(rejected.getHeaders().get("Content-Type")).isEqualTo("application/problem+json");
      assertThat(rejected.getHeaders().get("Retry-After")).isEqualTo("1");
      JsonObject problem = rejected.getBody().toJsonObject();
      assertThat(problem.getString("code")).isEqualTo("GOING_AWAY");
      assertThat(problem.getBoolean("retryable")).isTrue();
    }
  }

  private static void commits(List<JsonNode> frames, List<Integer> values) {
    for (JsonNode frame : frames) {
      frame.path("changes").forEach(change -> values.add(change.get("value").asInt()));
    }
  }

  @Test
  void endsTheStreamWhenTheTokenExpires(Vertx vertx) {
    AtomicInteger millis = new AtomicInteger(500);
    AtomicReference<Instant> end = new AtomicReference<>();
    Authenticator brief =
        token -> { // from the first request on; doubled if that was too short for a subscription
          end.set(Instant.now().plusMillis(millis.getAndUpdate(before -> 2 * before)));
          return new Grant("short", Set.of(AccessRight.READ), List.of(), Set.of(), end.get());
        };
    try (StreamServer server = StreamServer.start(vertx, brief, StreamOptions.DEFAULT)) {
      String now = null;
      while (now == null) {
        try (StreamClient client = server.connect()) {
          client.ws().writeTextMessage("{\"op\":\"changes\",\"id\":2,\"credit\":1000}");
          JsonNode frame = client.next();
          if (frame.get("type").asText().equals("bookmark")) {
            now = frame.get("versionstamp").asText();
            frame = client.next();
            assertThat(frame.get("resume").get("2").asText()).isEqualTo(now);
          }
          assertThat(frame.get("type").asText()).isEqualTo("goingAway");
          assertThat(client.closeCode()).isEqualTo(4401);
          assertThat(Instant.now()).isAfterOrEqualTo(end.get());
        }
      }
    }
  }

  @Test
  void keepsPeersThatAnswerPingsAndClosesIdleOnes(Vertx vertx) {
    boolean kept = keepsAPeer(vertx, Duration.ofMillis(100));
    assertThat(kept || keepsAPeer(vertx, Duration.ofSeconds(5))).isTrue(); // one was stalled
  }

  private static boolean keepsAPeer(Vertx vertx, Duration heartbeat) {
    Duration idleAfter =
        heartbeat.multipliedBy(3).plusMillis(1_700); // a silent peer is closed earlier
    StreamOptions quick = StreamOptions.DEFAULT.withTimes(heartbeat, NEVER, idleAfter);
    try (StreamServer server = StreamServer.start(vertx, token -> Grant.all("all"), quick);
        StreamClient watching = server.connect();
        StreamClient idle = server.connect()) {
      watching.say("{'op':'watch','id':1,'keys':[['a']],'credit':100}");
      watching.next("state");
      if (idle.closeCode() != 1000 || watching.isClosed()) { // although they have answered pings
        return false;
      }
      server.set(1, "a");
      watching.next("state");
      return true;
    }
  }
}
