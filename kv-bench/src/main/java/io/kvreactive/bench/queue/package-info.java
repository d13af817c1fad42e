/** Queues: how many messages go through, and how fast. */
@NullMarked
package io.kvreactive.bench.queue;

import org.jspecify.annotations.NullMarked;
