/**
 * The store: a commit log that is the authority, memtables with the commits that the image lacks,
 * and a sorted image in MapDB. Open {@code Store} first, then {@code CommitBatch} and {@code
 * StoreView}.
 */
@NullMarked
package io.kvreactive.internal.store;

import org.jspecify.annotations.NullMarked;
