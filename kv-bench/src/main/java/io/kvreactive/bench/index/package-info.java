/**
 * Compares documents with indexes to the plain store and to SQL databases. Start with {@link
 * io.kvreactive.bench.index.IndexCommand} and {@link io.kvreactive.bench.index.Measure}.
 */
@NullMarked
package io.kvreactive.bench.index;

import org.jspecify.annotations.NullMarked;
