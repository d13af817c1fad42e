package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A queue of a server, whose messages are consumed one by one. Each message is acknowledged after
 * the consumer has returned.
 */
final class RemoteQueue {
  private static final long WAIT_MILLIS = 20_000;

  private final RestClient http;
  private final long waitMillis; // shorter than the timeout of the request
  private final String queue;
  private final Consumer<ObjectNode> messages;
  private final Consumer<String> notices;
  private final ReconnectLoop reconnect;

  RemoteQueue(
      RestClient http, String queue, Consumer<ObjectNode> messages, Consumer<String> notices) {
    this.http = http;
    this.waitMillis = Math.min(WAIT_MILLIS, http.timeout().toMillis() / 2);
    this.queue = queue;
    this.messages = messages;
    this.notices = notices;
    this.reconnect = new ReconnectLoop(notices);
  }

  /** Passes {@code count} messages to the consumer. Reconnects after a lost connection. */
  void run(long count) {
    long[] left = {count};
    while (left[0] > 0) {
      reconnect.keep(
          () -> {
            for (JsonNode message : claim()) {
              handOver((ObjectNode) message);
              left[0]--;
            }
          });
    }
  }

  private JsonNode claim() {
    ObjectNode requested =
        CliJson.object().put("queue", queue).put("max", 1).put("waitMs", waitMillis);
    JsonNode claimed =
        http.json("POST", "/api/v1/queue/claim", Map.of(), requested).path("messages");
    reconnect.answered();
    return claimed;
  }

  private void handOver(ObjectNode message) {
    ObjectNode lease = CliJson.object();
    lease.set("token", message.path("token"));
    try {
      messages.accept(message.deepCopy().without("token"));
    } catch (RuntimeException e) {
      var unused = http.json("POST", "/api/v1/queue/nack", Map.of(), lease);
      throw e;
    }
    reconnect.keep(() -> acknowledge(lease));
  }

  private void acknowledge(ObjectNode lease) {
    try {
      var unused = http.json("POST", "/api/v1/queue/ack", Map.of(), lease);
    } catch (CliException e) {
      if (!e.text().endsWith("(" + KvErrorCode.LEASE_LOST + ")")) {
        throw e;
      }
      notices.accept("acknowledged too late: this message may be delivered again");
    }
    reconnect.answered();
  }
}
