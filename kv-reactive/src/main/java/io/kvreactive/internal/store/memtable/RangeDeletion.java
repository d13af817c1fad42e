package io.kvreactive.internal.store.memtable;

/**
 * The deletion of everything in a range that is older than a version. Stored as a range, because
 * the deletion of millions of keys must not cost a commit millions of entries.
 *
 * @param start the inclusive start
 * @param end the exclusive end
 * @param version the version of the commit
 */
public record RangeDeletion(byte[] start, byte[] end, long version) {}
