/**
 * Runs bound queries over items in memory. Open {@link
 * io.kvreactive.index.internal.eval.QueryProgram} first; {@link
 * io.kvreactive.index.internal.eval.InMemoryQuery} is the whole of it at its plainest.
 */
@NullMarked
package io.kvreactive.index.internal.eval;

import org.jspecify.annotations.NullMarked;
