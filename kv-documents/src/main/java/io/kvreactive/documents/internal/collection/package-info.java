/**
 * Item operations of collections: reading, writing, loading, patching and the change feed. Start
 * with {@link io.kvreactive.documents.internal.collection.ItemWriter}.
 */
@NullMarked
package io.kvreactive.documents.internal.collection;

import org.jspecify.annotations.NullMarked;
