package io.kvreactive.spi;

import io.kvreactive.KvValue;

/**
 * A message that was claimed: nobody else gets it while its lease lasts.
 *
 * @param token what to extend or finish it by
 * @param payload the message
 * @param attempt the number of this delivery; the first is 1
 * @param lastAttempt true if it ends under its keys, and is not delivered again, when this fails
 * @param enqueuedAt milliseconds since 1970 by the engine's clock
 */
public record LeasedMessage(
    LeaseToken token, KvValue payload, int attempt, boolean lastAttempt, long enqueuedAt) {}
