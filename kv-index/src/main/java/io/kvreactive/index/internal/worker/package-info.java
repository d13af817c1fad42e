/** The threads of collections: time slices, and fair scheduling between databases and callers. */
@NullMarked
package io.kvreactive.index.internal.worker;

import org.jspecify.annotations.NullMarked;
