/**
 * Compilation and evaluation of bound queries over items in memory. The entry point is {@link
 * io.kvreactive.index.internal.eval.QueryProgram}; {@link
 * io.kvreactive.index.internal.eval.InMemoryQuery} is its simplest use.
 */
@NullMarked
package io.kvreactive.index.internal.eval;

import org.jspecify.annotations.NullMarked;
