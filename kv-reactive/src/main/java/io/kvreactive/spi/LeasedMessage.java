package io.kvreactive.spi;

import io.kvreactive.KvValue;

/**
 * A leased message: no other consumer receives it while its lease lasts.
 *
 * @param token the token by which the lease is extended or finished
 * @param payload the message
 * @param attempt the number of this delivery; the first is 1
 * @param lastAttempt true if the message is written to its keys for undelivered messages, and not
 *     redelivered, if this delivery fails
 * @param enqueuedAt the time of the enqueue, in milliseconds since 1970 by the engine's clock
 */
public record LeasedMessage(
    LeaseToken token, KvValue payload, int attempt, boolean lastAttempt, long enqueuedAt) {}
