/**
 * Item operations of collections: reading, writing, loading, patching and the change feed. Start
 * with {@link io.kvreactive.index.internal.collection.ItemWriter}.
 */
@NullMarked
package io.kvreactive.index.internal.collection;

import org.jspecify.annotations.NullMarked;
