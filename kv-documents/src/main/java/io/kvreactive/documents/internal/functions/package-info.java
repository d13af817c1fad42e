/**
 * Scalar functions of queries; aggregates are elsewhere. The entry point is {@link
 * io.kvreactive.documents.internal.functions.FunctionRegistry}.
 */
@NullMarked
package io.kvreactive.documents.internal.functions;

import org.jspecify.annotations.NullMarked;
