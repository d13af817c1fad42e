package io.kvreactive.internal.store.memtable;

/** A node of a {@link KeyTree}. */
sealed interface MemtableNode permits MemtableBranch, MemtableLeaf {}
