package io.kvreactive.internal.store.memtable;

/** A node of a {@link KeyTree}. */
sealed interface Node permits Branch, Leaf {}
