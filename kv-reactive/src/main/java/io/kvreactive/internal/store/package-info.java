/**
 * The store: a commit log that is the truth, in-memory memtables of what is not yet in the image,
 * and a sorted image in MapDB. Open {@code Store} first, then {@code CommitBatch} and {@code
 * StoreView}.
 */
@NullMarked
package io.kvreactive.internal.store;

import org.jspecify.annotations.NullMarked;
