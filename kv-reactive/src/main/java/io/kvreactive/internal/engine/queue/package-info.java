/**
 * Queues on the store thread: waiting claims, ready messages, leases. Open {@code Queues} first,
 * then {@code ClaimDispatcher}.
 */
@NullMarked
package io.kvreactive.internal.engine.queue;

import org.jspecify.annotations.NullMarked;
