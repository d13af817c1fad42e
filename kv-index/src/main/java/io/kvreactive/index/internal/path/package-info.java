/**
 * Paths in documents, and their text forms in policies. Start with {@link
 * io.kvreactive.index.internal.path.IndexPath}.
 */
@NullMarked
package io.kvreactive.index.internal.path;

import org.jspecify.annotations.NullMarked;
