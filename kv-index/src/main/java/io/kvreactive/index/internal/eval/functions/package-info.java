/**
 * Scalar functions of queries; aggregates are elsewhere. The entry point is {@link
 * io.kvreactive.index.internal.eval.functions.FunctionRegistry}.
 */
@NullMarked
package io.kvreactive.index.internal.eval.functions;

import org.jspecify.annotations.NullMarked;
