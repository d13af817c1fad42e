package io.kvreactive.spi;

import io.kvreactive.KvValue;
import java.util.List;

/**
 * A message that a commit puts into a queue.
 *
 * @param queue name of the queue; empty for the one that Deno KV has
 * @param payload the message
 * @param deliverAt not before this time, milliseconds since 1970 by the engine's clock; 0 for at
 *     once
 * @param backoff milliseconds to wait before each redelivery; as many redeliveries as there are
 * @param keysIfUndelivered encoded keys that take the payload when the last delivery has failed
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
