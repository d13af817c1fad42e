/**
 * Paths in documents, and their text forms in policies. Start with {@link
 * io.kvreactive.documents.internal.path.IndexPath}.
 */
@NullMarked
package io.kvreactive.documents.internal.path;

import org.jspecify.annotations.NullMarked;
