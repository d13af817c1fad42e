package io.kvreactive.web;

import java.time.Duration;

/**
 * Bounds of the WebSocket {@code /api/v1/stream}, each for one connection.
 *
 * @param maxSubscriptions at a time
 * @param queueBytes what is written and not yet taken by the socket; more only when one entry,
 *     state or commit is larger
 * @param heldBytes what subscriptions were asked with, all together; and what was read for them and
 *     is not written yet, more only when one entry, state or commit is larger
 * @param maxMessageBytes of one message of the client
 * @param heartbeat between pings; two that are not answered end the connection
 * @param slowAfter for how long a client may take nothing although bytes wait for it
 * @param idleAfter for how long a client may say nothing while it has no subscription
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

  /** With other times. */
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

  /** With another bound on subscriptions. */
  public StreamOptions withMaxSubscriptions(int subscriptions) {
    return new StreamOptions(
        subscriptions, queueBytes, heldBytes, maxMessageBytes, heartbeat, slowAfter, idleAfter);
  }

  /** With another bound on what subscriptions hold. */
  public StreamOptions withHeldBytes(int bytes) {
    return new StreamOptions(
        maxSubscriptions, queueBytes, bytes, maxMessageBytes, heartbeat, slowAfter, idleAfter);
  }
}
