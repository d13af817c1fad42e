/** Paths in documents, and their text forms in policies. */
@NullMarked
package io.kvreactive.index.internal.path;

import org.jspecify.annotations.NullMarked;
