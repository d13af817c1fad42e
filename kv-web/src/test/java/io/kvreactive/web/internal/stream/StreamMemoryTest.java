package io.kvreactive.web.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvKey;
import io.kvreactive.web.internal.auth.AccessRight;
import io.kvreactive.web.internal.auth.Grant;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Memory limits of all WebSockets of a server: a megabyte in total, half of it per token. */
@ExtendWith(VertxExtension.class)
class StreamMemoryTest {
  private static final long MEMORY = 2 << 20;
  private static final String NAME = "n".repeat(1000);

  private final List<StreamClient> clients = new ArrayList<>();
  private StreamServer server;
  private Vertx vertx;

  @BeforeEach
  void open(Vertx vertx) {
    this.vertx = vertx;
    server =
        StreamServer.withMemory(
            vertx,
            token ->
                new Grant(token, Set.of(AccessRight.READ), List.of(KvKey.EMPTY), Set.of(), null),
            MEMORY);
  }

  @AfterEach
  void close() {
    clients.forEach(StreamClient::close);
    server.close();
  }

  private StreamClient connect(String token) {
    StreamClient client =
        StreamClient.connect(vertx, server.port(), List.of("kv.v1", "bearer." + token));
    clients.add(client);
    return client;
  }

  private static String watch(int id, int credit) {
    return "{'op':'watch','id':%d,'keys':[['%s']],'credit':%d}".formatted(id, NAME, credit);
  }

  /** Subscribes on one connection until a subscription is rejected, and returns the rejection. */
  private static JsonNode fill(StreamClient client) {
    for (int id = 0; ; id++) {
      List<JsonNode> said = client.say(watch(id, 0)).untilPong();
      if (!said.isEmpty()) {
        return said.get(0);
      }
    }
  }

  @Test
  void rejectsSubscriptionsPerToken() {
    JsonNode refused = fill(connect("greedy"));
    assertThat(refused.get("code").asText()).isEqualTo("OVERLOADED");
    assertThat(refused.get("retryable").asBoolean()).isTrue();
    assertThat(refused.get("detail").asText()).contains("of one token");
    assertThat(connect("other").say(watch(1, 1)).next("state").get("id").asInt()).isOne();
  }

  @Test
  void closesConnectionsPerToken() {
    StreamClient last = connect("greedy");
    while (!last.isClosed()) {
      last = connect("greedy");
      if (clients.size() > MEMORY / 2 / (11 << 10)) {
        break;
      }
    }
    assertThat(last.next("goingAway").get("retryAfterMs").asLong()).isPositive();
    assertThat(last.closeCode()).isEqualTo(1013);
    assertThat(clients.get((int) (MEMORY / 2 / (11 << 10)) - 1).untilPong()).isEmpty();
    assertThat(connect("other").untilPong()).isEmpty();
  }

  @Test
  void releasesMemoryWhenTheConnectionCloses() {
    StreamClient first = connect("one");
    fill(first);
    first.close();
    StreamServer.until(
        () -> {
          try (StreamClient second = connect("one")) {
            return second.say(watch(1, 0)).untilPong().isEmpty();
          }
        });
  }

  @Test
  void resumesListsWhenOthersReleaseMemory() {
    server.fill("part", 50, new byte[10_000]);
    StreamClient holder = connect("one");
    StreamClient reader = connect("one");
    fill(holder);
    assertThat(holder.say("{'op':'cancel','id':0}").untilPong()).isEmpty();
    reader.say("{'op':'list','id':1,'prefix':['part'],'credit':50}");
    List<JsonNode> frames = new ArrayList<>(reader.untilPong()); // the list has begun
    holder.say(watch(0, 0)).untilPong();
    for (int id = 1; id < 100; id++) {
      holder.say("{'op':'cancel','id':%d}".formatted(id));
    }
    frames.addAll(reader.until("end"));
    assertThat(StreamTest.entries(frames)).isEqualTo(50);
  }
}
