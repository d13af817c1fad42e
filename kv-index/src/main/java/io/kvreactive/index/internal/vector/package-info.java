/**
 * Vectors in JSON, distance functions and the embedding policy. Start with {@link
 * io.kvreactive.index.internal.vector.VectorMetric}.
 */
@NullMarked
package io.kvreactive.index.internal.vector;

import org.jspecify.annotations.NullMarked;
