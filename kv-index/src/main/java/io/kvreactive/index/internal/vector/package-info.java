/** Vectors of numbers, and how close they are to each other. */
@NullMarked
package io.kvreactive.index.internal.vector;

import org.jspecify.annotations.NullMarked;
