package io.kvreactive.spi;

import io.kvreactive.KvValue;
import java.util.List;

/**
 * A message that a commit puts into a queue.
 *
 * @param queue the name of the queue; empty for Deno KV's queue
 * @param payload the message
 * @param deliverAt the earliest time of delivery, in milliseconds since 1970 by the engine's clock;
 *     0 for at once
 * @param backoff the milliseconds to wait before each redelivery; their number is the maximum
 *     number of redeliveries
 * @param keysIfUndelivered the encoded keys to which the payload is written after the last delivery
 *     has failed
 */
public record Enqueue(
    String queue,
    KvValue payload,
    long deliverAt,
    List<Long> backoff,
    List<byte[]> keysIfUndelivered) {
  public Enqueue {
    backoff = List.copyOf(backoff);
    keysIfUndelivered = List.copyOf(keysIfUndelivered);
  }
}
