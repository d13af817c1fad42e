package io.kvreactive.spi;

/**
 * Names one delivery of a message. When its lease is lost, the next delivery has another token.
 *
 * @param queue name of the queue
 * @param id what tells the message from all others: 24 hex digits, ascending in commit order
 * @param lease tells this delivery from those before and after
 */
public record LeaseToken(String queue, String id, long lease) {}
