package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.EnqueueOptions;
import io.kvreactive.KvKey;
import io.kvreactive.spi.Enqueue;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

/** Parses queue messages. */
final class MessageJson {
  private static final List<Long> BACKOFF =
      EnqueueOptions.DEFAULT.backoff().stream().map(Duration::toMillis).toList();

  private MessageJson() {}

  /**
   * Parses a message to be enqueued.
   *
   * @param clock the clock of the store, in milliseconds since 1970
   * @param place the place of the message in the body, for error messages
   */
  static Enqueue enqueue(LongSupplier clock, JsonNode json, String place) {
    JsonFields fields =
        JsonFields.of(json, place, "value", "queue", "delay", "backoff", "keysIfUndelivered");
    long delay = fields.whole("delay", 0, 0, Integer.MAX_VALUE * 1000L);
    List<Long> backoff = fields.wholes("backoff", 0, Long.MAX_VALUE);
    return new Enqueue(
        fields.text("queue", ""),
        fields.value("value"),
        delay == 0 ? 0 : clock.getAsLong() + delay,
        backoff == null ? BACKOFF : backoff,
        fields.keys("keysIfUndelivered").stream().map(KvKey::bytes).toList());
  }
}
