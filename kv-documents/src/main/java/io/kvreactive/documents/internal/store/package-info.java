/**
 * Key layout of a collection, the stored forms of its definition, items and state, and the caches
 * of vector structures. Start with {@link io.kvreactive.documents.internal.store.CollectionKeys}.
 */
@NullMarked
package io.kvreactive.documents.internal.store;

import org.jspecify.annotations.NullMarked;
