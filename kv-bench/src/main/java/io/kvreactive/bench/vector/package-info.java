/** Measurements of vector indexes. Open {@code VectorCommand} first. */
@NullMarked
package io.kvreactive.bench.vector;

import org.jspecify.annotations.NullMarked;
