/** Compares this store with Deno KV. Start with {@code Scenario}. */
@NullMarked
package io.kvreactive.bench.compare;

import org.jspecify.annotations.NullMarked;
