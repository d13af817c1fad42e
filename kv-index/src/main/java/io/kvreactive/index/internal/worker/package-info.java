/** The threads that collections work on: slices, fairness between databases and callers. */
@NullMarked
package io.kvreactive.index.internal.worker;

import org.jspecify.annotations.NullMarked;
