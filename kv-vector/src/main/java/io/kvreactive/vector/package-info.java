/**
 * Approximate vector indexes: quantizedFlat and diskANN. The extension is {@link
 * io.kvreactive.vector.VectorExtension}.
 */
@NullMarked
package io.kvreactive.vector;

import org.jspecify.annotations.NullMarked;
