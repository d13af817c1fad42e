/** Vectors, their distance functions, and the structures of approximate vector indexes. */
@NullMarked
package io.kvreactive.index.internal.vector;

import org.jspecify.annotations.NullMarked;
