package io.kvreactive.web.internal.rest;

import io.kvreactive.EnqueueOptions;
import io.kvreactive.KvKey;
import io.kvreactive.protocol.JsonForm;
import io.kvreactive.protocol.JsonInput;
import io.kvreactive.protocol.Members;
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
   */
  static Enqueue enqueue(LongSupplier clock, JsonInput in) {
    Members<?> message = in.members("value", "queue", "delay", "backoff", "keysIfUndelivered");
    long delay = message.read("delay", JsonForm.whole(0, Integer.MAX_VALUE * 1000L), 0L);
    return new Enqueue(
        message.read("queue", JsonForm.TEXT, ""),
        message.read("value", JsonForm.VALUE),
        delay == 0 ? 0 : clock.getAsLong() + delay,
        message.read("backoff", JsonForm.list(JsonForm.whole(0, Long.MAX_VALUE)), BACKOFF),
        message.readList("keysIfUndelivered", JsonForm.KEY).stream().map(KvKey::bytes).toList());
  }
}
