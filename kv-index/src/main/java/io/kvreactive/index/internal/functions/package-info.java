/**
 * The functions that queries may call on values, except aggregates. Open {@link
 * io.kvreactive.index.internal.functions.FunctionRegistry} first.
 */
@NullMarked
package io.kvreactive.index.internal.functions;

import org.jspecify.annotations.NullMarked;
