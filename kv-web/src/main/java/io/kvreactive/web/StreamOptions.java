package io.kvreactive.web;

import java.time.Duration;
import org.immutables.value.Value;

/**
 * Limits of the WebSocket {@code /api/v1/stream}, each per connection.
 *
 * @param maxSubscriptions the maximum number of concurrent subscriptions
 * @param queueBytes the maximum size of output that the socket has not accepted yet; exceeded only
 *     by a single larger entry, state or commit
 * @param heldBytes the maximum memory of the requests of all subscriptions, and of results that are
 *     not written yet; the latter may be exceeded by a single larger entry, state or commit
 * @param maxMessageBytes the maximum size of a client's message
 * @param heartbeat the interval of pings; two unanswered pings end the connection
 * @param slowAfter the maximum time that a client may accept no bytes while output is pending
 * @param idleAfter the maximum time that a client without a subscription may be silent
 */
@Value.Builder
public record StreamOptions(
    int maxSubscriptions,
    int queueBytes,
    int heldBytes,
    int maxMessageBytes,
    Duration heartbeat,
    Duration slowAfter,
    Duration idleAfter)
    implements WithStreamOptions {
  public static final StreamOptions DEFAULT =
      new StreamOptionsBuilder()
          .maxSubscriptions(1_000)
          .queueBytes(256 << 10)
          .heldBytes(4 << 20)
          .maxMessageBytes(1 << 20)
          .heartbeat(Duration.ofSeconds(25))
          .slowAfter(Duration.ofSeconds(60))
          .idleAfter(Duration.ofMinutes(5))
          .build();

  /** Returns these options with other times. */
  public StreamOptions withTimes(
      Duration newHeartbeat, Duration newSlowAfter, Duration newIdleAfter) {
    return withHeartbeat(newHeartbeat).withSlowAfter(newSlowAfter).withIdleAfter(newIdleAfter);
  }
}
