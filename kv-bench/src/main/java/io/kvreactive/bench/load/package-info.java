/**
 * Measures one store: load, restart, small heap, backup, expiry, change feeds and queues. Large
 * stores are in child processes. Start with {@link io.kvreactive.bench.load.LoadCommand}.
 */
@NullMarked
package io.kvreactive.bench.load;

import org.jspecify.annotations.NullMarked;
