/**
 * Queues on the store thread: who waits, what is ready, what is leased. Open {@code Queues} first,
 * then {@code ClaimDispatcher}.
 */
@NullMarked
package io.kvreactive.internal.engine.queue;

import org.jspecify.annotations.NullMarked;
