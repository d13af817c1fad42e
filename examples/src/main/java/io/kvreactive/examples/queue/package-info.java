/**
 * Orders whose messages are enqueued in the commits that change them. Start with {@link
 * io.kvreactive.examples.queue.OrderBook} and {@link io.kvreactive.examples.queue.Worker}.
 */
@NullMarked
package io.kvreactive.examples.queue;

import org.jspecify.annotations.NullMarked;
