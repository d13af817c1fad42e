package io.kvreactive.web;

import java.time.Duration;

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
public record StreamOptions(
    int maxSubscriptions,
    int queueBytes,
    int heldBytes,
    int maxMessageBytes,
    Duration heartbeat,
    Duration slowAfter,
    Duration idleAfter) {
  public static final StreamOptions DEFAULT =
      new StreamOptions(
          1_000,
          256 << 10,
          4 << 20,
          1 << 20,
          Duration.ofSeconds(25),
          Duration.ofSeconds(60),
          Duration.ofMinutes(5));

  /** Returns these options with other times. */
  public StreamOptions withTimes(
      Duration newHeartbeat, Duration newSlowAfter, Duration newIdleAfter) {
    return new StreamOptions(
        maxSubscriptions,
        queueBytes,
        heldBytes,
        maxMessageBytes,
        newHeartbeat,
        newSlowAfter,
        newIdleAfter);
  }

  /** Returns these options with another maximum number of subscriptions. */
  public StreamOptions withMaxSubscriptions(int subscriptions) {
    return new StreamOptions(
        subscriptions, queueBytes, heldBytes, maxMessageBytes, heartbeat, slowAfter, idleAfter);
  }

  /** Returns these options with another maximum of memory held for subscriptions. */
  public StreamOptions withHeldBytes(int bytes) {
    return new StreamOptions(
        maxSubscriptions, queueBytes, bytes, maxMessageBytes, heartbeat, slowAfter, idleAfter);
  }
}
