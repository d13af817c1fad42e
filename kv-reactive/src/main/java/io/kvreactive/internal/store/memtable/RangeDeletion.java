package io.kvreactive.internal.store.memtable;

/**
 * The deletion of everything in a range that is older than a version. Kept as a range, because the
 * deletion of millions of keys must not cost a commit millions of entries.
 *
 * @param start inclusive
 * @param end exclusive
 * @param version the commit that deleted
 */
public record RangeDeletion(byte[] start, byte[] end, long version) {}
