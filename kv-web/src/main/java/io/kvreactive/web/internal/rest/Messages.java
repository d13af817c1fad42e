package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.EnqueueOptions;
import io.kvreactive.KvKey;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.web.internal.http.Call;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.List;

/** Messages of queues, from JSON. */
final class Messages {
  private static final List<Long> BACKOFF =
      EnqueueOptions.DEFAULT.backoff().stream().map(Duration::toMillis).toList();

  private Messages() {}

  /** A message to be enqueued. */
  static Enqueue enqueue(RoutingContext context, JsonNode json, String place) {
    Fields fields =
        Fields.of(json, place, "value", "queue", "delay", "backoff", "keysIfUndelivered");
    long delay = fields.whole("delay", 0, 0, Integer.MAX_VALUE * 1000L);
    List<Long> backoff = fields.wholes("backoff", 0, Long.MAX_VALUE);
    return new Enqueue(
        fields.text("queue", ""),
        fields.value("value"),
        delay == 0 ? 0 : Call.of(context).kv().engine().now() + delay,
        backoff == null ? BACKOFF : backoff,
        fields.keys("keysIfUndelivered").stream().map(KvKey::bytes).toList());
  }
}
