package io.kvreactive.spi;

/**
 * The identity of one delivery of a message. The next delivery of the message has another token.
 *
 * @param queue the name of the queue
 * @param id the unique id of the message: 24 hex digits, ascending in commit order
 * @param lease the id of this delivery, different from those before and after
 */
public record LeaseToken(String queue, String id, long lease) {}
