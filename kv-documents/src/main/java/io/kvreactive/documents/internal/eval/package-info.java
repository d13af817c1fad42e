/**
 * Compilation and evaluation of bound queries over items in memory. The entry point is {@link
 * io.kvreactive.documents.internal.eval.QueryProgram}.
 */
@NullMarked
package io.kvreactive.documents.internal.eval;

import org.jspecify.annotations.NullMarked;
