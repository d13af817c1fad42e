/** Measures the rates of queues. */
@NullMarked
package io.kvreactive.bench.queue;

import org.jspecify.annotations.NullMarked;
