package io.kvreactive.web.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvKey;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.web.LimitOptions;
import io.kvreactive.web.LogOf;
import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.StreamOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.auth.AccessRight;
import io.kvreactive.web.internal.auth.Authenticator;
import io.kvreactive.web.internal.auth.Grant;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Limits on the memory and work of one connection. */
@ExtendWith(VertxExtension.class)
class StreamBoundsTest {
  private static final int HELD = 20_000;
  private static Vertx vertx;

  @BeforeAll
  static void use(Vertx vertx) {
    StreamBoundsTest.vertx = vertx;
  }

  @BeforeEach
  void begin() {
    LogOf.begin();
  }

  private static StreamServer server() {
    return StreamServer.start(vertx, Authenticator.OPEN, StreamOptions.DEFAULT.withHeldBytes(HELD));
  }

  private static String watch(int id, String part, int credit) {
    return "{'op':'watch','id':%d,'keys':[['%s']],'credit':%d}".formatted(id, part, credit);
  }

  @Test
  void limitsTheMemoryOfSubscriptionParameters() {
    String name = "n".repeat(1500);
    try (StreamServer server = server();
        StreamClient client = server.connect()) {
      int id = 0;
      List<JsonNode> said = List.of();
      while (said.isEmpty()) {
        client.say(watch(++id, name, 0));
        said = client.untilPong();
      }
      assertThat(id).isBetween(4, HELD / 1500);
      assertThat(said.get(0).get("code").asText()).isEqualTo("LIMIT_EXCEEDED");
      assertThat(said.get(0).get("detail").asText()).contains("at most " + HELD);
      client.say("{'op':'cancel','id':1}").say(watch(id, name, 1));
      assertThat(client.next("state").get("id").asInt()).isEqualTo(id);
    }
  }

  @Test
  void servesAllSubscriptionsEvenIfEachExceedsTheLimit() {
    try (StreamServer server = server();
        StreamClient client = server.connect()) {
      server.fill("large", 8, new byte[2 * HELD]);
      Set<Integer> states = new TreeSet<>();
      Set<Integer> ends = new TreeSet<>();
      for (int id = 0; id < 8; id++) {
        client.say("{'op':'watch','id':%d,'keys':[['large',%d]],'credit':1}".formatted(id, id));
        client.say("{'op':'list','id':%d,'prefix':['large'],'credit':8}".formatted(10 + id));
      }
      while (states.size() < 8 || ends.size() < 8) {
        JsonNode frame = client.next();
        switch (frame.get("type").asText()) {
          case "state" -> states.add(frame.get("id").asInt());
          case "end" -> ends.add(frame.get("id").asInt());
          default -> assertThat(frame.get("type").asText()).isEqualTo("entries");
        }
      }
    }
  }

  @Test
  void deliversCommitsLargerThanTheLimitToAllFollowers() {
    try (StreamServer server = server();
        StreamClient client = server.connect()) {
      for (int id = 0; id < 4; id++) {
        client.say("{'op':'changes','id':%d,'credit':10}".formatted(id));
        client.next("bookmark");
      }
      for (int i = 0; i < 3; i++) {
        server.set(new byte[2 * HELD], "large", i);
        server.set(i, "small", i);
      }
      int[] commits = new int[4];
      for (int i = 0; i < 4 * 6; i++) {
        JsonNode commit = client.next("commit");
        String key = commit.get("changes").get(0).get("key").toString();
        int n = commits[commit.get("id").asInt()]++;
        assertThat(key).isEqualTo("[\"%s\",%d]".formatted(n % 2 == 0 ? "large" : "small", n / 2));
      }
      assertThat(commits).containsOnly(6);
    }
  }

  @Test
  void alternatesQueriesWithoutWaitingForOneWithoutCredit() {
    try (StreamServer server = server();
        StreamClient client = server.connect()) {
      DocumentStore index = DocumentStore.over(server.kv());
      index.create("large", CollectionDefinition.DEFAULT).block(StreamServer.TIMEOUT);
      var items = index.collection("large", Map.class);
      for (int i = 0; i < 10; i++) {
        var item = Map.of("id", "" + i, "text", "t".repeat(HELD));
        items.upsert(item).block(StreamServer.TIMEOUT);
      }
      for (int id = 0; id < 32; id++) {
        client.say(
            "{'op':'query','id':%d,'collection':'large','query':'SELECT * FROM c','credit':%d}"
                .formatted(id, id % 2 == 0 ? 1 : 10));
      }
      int rows = 0;
      int ends = 0;
      while (ends < 16 || rows < 16 * 10 + 16) {
        JsonNode frame = client.next();
        ends += frame.get("type").asText().equals("end") ? 1 : 0;
        rows += frame.path("rows").size();
      }
      String more = "{'op':'query','id':%d,'collection':'large','query':'SELECT 1','credit':1}";
      for (int id = 100; id < 117; id++) { // 16 are open, so another one exceeds the limit
        client.say(more.formatted(id).replace("'credit':1", "'credit':0"));
      }
      JsonNode error = client.next();
      assertThat(error.get("id").asInt()).isEqualTo(116);
      assertThat(error.get("code").asText()).isEqualTo("LIMIT_EXCEEDED");
      client.say("{'op':'cancel','id':100}").say(more.formatted(116));
      assertThat(client.next("rows").get("id").asInt()).isEqualTo(116);
      assertThat(client.until("end")).isNotEmpty();
      assertThat(client.untilPong()).isEmpty();
      index.close().block(StreamServer.TIMEOUT);
    }
  }

  @Test
  void alternatesListsOfFeeds() {
    try (StreamServer server = server();
        StreamClient client = server.connect()) {
      server.fill("large", 20, new byte[HELD]);
      for (int id = 0; id < 8; id++) {
        client.say(
            "{'op':'changes','id':%d,'prefix':['large'],'list':true,'credit':%d}"
                .formatted(id, id % 2 == 0 ? 30 : 1)); // some have no credit left
        client.say(watch(10 + id, "absent", 1));
      }
      int listed = 0;
      while (listed < 4) {
        listed += client.next().get("type").asText().equals("listed") ? 1 : 0;
      }
    }
  }

  @Test
  void rejectsAStateOfMoreThan16MiB() {
    try (StreamServer server = StreamServer.start(vertx);
        StreamClient client = server.connect()) {
      for (int i = 0; i < 3; i++) {
        server.set(new byte[6 << 20], "large", i);
      }
      client.say("{'op':'watch','id':1,'keys':[['large',0],['large',1],['large',2]],'credit':1}");
      JsonNode error = client.next("error");
      assertThat(error.get("code").asText()).isEqualTo("LIMIT_EXCEEDED");
      assertThat(error.get("detail").asText()).contains("16777216");
    }
  }

  @Test
  void logsRefusalsInTheAuditLog() {
    Grant grant =
        new Grant("some", Set.of(AccessRight.READ), List.of(KvKey.of("mine")), Set.of(), null);
    try (StreamServer server = StreamServer.start(vertx, token -> grant, StreamOptions.DEFAULT);
        StreamClient client = server.connect()) {
      client.say(watch(1, "theirs", 1)).next("error");
    }
    assertThat(LogOf.audit())
        .anyMatch(
            entry ->
                entry.contains("event=access.refused")
                    && entry.contains("token=some")
                    && entry.contains("route=/api/v1/stream"));
  }

  @Test
  void appliesTheRequestRateLimitToMessages() {
    ServerOptions options =
        ServerOptions.inMemory().withLimits(LimitOptions.DEFAULT.withRequests(20, 20));
    try (TestServer server = TestServer.start(vertx, options);
        StreamClient client =
            StreamClient.connect(
                vertx, server.port(), List.of("kv.v1", "bearer." + TestServer.TOKEN))) {
      StreamServer.until( // repeated if they were sent too slowly to exceed the rate
          () -> {
            for (int i = 0; i < 30; i++) {
              client.say("{'op':'ping'}");
            }
            client.say("{'op':'list','id':1,'credit':1}");
            for (int i = 0; i < 30; i++) {
              client.next("pong"); // none is lost
            }
            client.next("end");
            return LogOf.audit()
                .anyMatch(
                    entry -> entry.contains("event=rate.limited") && entry.contains("messages of"));
          });
    }
  }

  @Test
  void countsNoConnectionAsAPendingRequest() {
    try (StreamServer server = StreamServer.start(vertx);
        StreamClient client = server.connect()) {
      client.untilPong();
      StreamServer.until(() -> server.lifecycle().underWay() == 0);
    }
  }
}
