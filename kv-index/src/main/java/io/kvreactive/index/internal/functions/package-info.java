/**
 * Scalar functions of queries; aggregates are elsewhere. The entry point is {@link
 * io.kvreactive.index.internal.functions.FunctionRegistry}.
 */
@NullMarked
package io.kvreactive.index.internal.functions;

import org.jspecify.annotations.NullMarked;
