/**
 * The functions that queries may call on values, except aggregates. Open {@link
 * io.kvreactive.index.internal.eval.functions.FunctionRegistry} first.
 */
@NullMarked
package io.kvreactive.index.internal.eval.functions;

import org.jspecify.annotations.NullMarked;
