package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.http.client.RetryingCall.Backoff;
import io.kvreactive.server.ExitCode;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * A queue of a server, whose messages are consumed one by one. Each message is acknowledged after
 * the consumer has returned. Requests are repeated after a lost connection, unless the server was
 * never reached.
 */
final class RemoteQueue {
  private static final long WAIT_MILLIS = 20_000;

  private final RestClient http;
  private final long waitMillis; // shorter than the timeout of the request
  private final String queue;
  private final Consumer<ObjectNode> messages;
  private final Consumer<String> notices;
  private final ConnectionNotices connection;
  private boolean reached;
  private int failed; // attempts since the last answer

  RemoteQueue(
      RestClient http, String queue, Consumer<ObjectNode> messages, Consumer<String> notices) {
    this.http = http;
    this.waitMillis = Math.min(WAIT_MILLIS, http.timeout().toMillis() / 2);
    this.queue = queue;
    this.messages = messages;
    this.notices = notices;
    this.connection = new ConnectionNotices(notices);
  }

  /** Passes {@code count} messages to the consumer. */
  void run(long count) {
    long[] left = {count};
    while (left[0] > 0) {
      keep(
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
    answered();
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
    keep(() -> acknowledge(lease));
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
    answered();
  }

  private void answered() {
    connection.answered();
    reached = true;
    failed = 0;
  }

  /** Repeats a request until it is answered. */
  private void keep(Runnable request) {
    while (true) {
      try {
        request.run();
        return;
      } catch (CliException e) {
        if (!reached || e.exitCode() != ExitCode.UNREACHABLE) {
          throw e;
        }
        connection.lost(e);
      }
      long pause = Backoff.DEFAULT.pauseMillis(failed++);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pause));
      if (Thread.currentThread().isInterrupted()) {
        throw new CliException(ExitCode.FAILED, "interrupted");
      }
    }
  }
}
