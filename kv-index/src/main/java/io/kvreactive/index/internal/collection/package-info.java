/** Item operations of collections: reading, writing, loading, patching and the change feed. */
@NullMarked
package io.kvreactive.index.internal.collection;

import org.jspecify.annotations.NullMarked;
