/**
 * Measures large stores in child processes: load, restart, small heap, backup, expiry and change
 * feeds.
 */
@NullMarked
package io.kvreactive.bench.load;

import org.jspecify.annotations.NullMarked;
