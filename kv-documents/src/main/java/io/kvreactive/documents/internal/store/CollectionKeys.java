package io.kvreactive.documents.internal.store;

import io.kvreactive.documents.internal.encoding.DocIds;
import io.kvreactive.spi.ReadRange;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The key layout of a collection. All keys are encoded like {@code KvKey}: the root, the
 * collection's id, the letter of a space, and bytes.
 *
 * <table>
 * <caption>Spaces</caption>
 * <tr><th>Letter</th><th>Bytes</th><th>Value</th></tr>
 * <tr><td>D</td><td>docId</td><td>{@link StoredItem}</td></tr>
 * <tr><td>DX</td><td>none</td><td>the items deleted by the last commit that deleted items</td></tr>
 * <tr><td>E1</td><td>an index entry</td><td>nothing; the elements of a vector</td></tr>
 * <tr><td>E1, P</td><td>docId</td><td>{@link PendingIndexing}</td></tr>
 * <tr><td>E1, V</td><td>number of a vector index, docId</td><td>nothing: a changed vector</td></tr>
 * <tr><td>E1, W</td><td>number of a vector index, ...</td><td>the saved structure of the
 * index</td></tr>
 * <tr><td>G, group</td><td>number of a range</td><td>the lease of a range of partition keys by a
 * member of a group that processes changes</td></tr>
 * <tr><td>I</td><td>partition and id, or hashes of them</td><td>docId</td></tr>
 * <tr><td>J</td><td>none</td><td>the progress of background work</td></tr>
 * <tr><td>N</td><td>none</td><td>the next docId to allocate</td></tr>
 * <tr><td>U</td><td>unique key, partition and values, or their hash</td><td>docId</td></tr>
 * <tr><td>X1</td><td>kind, second, docId</td><td>nothing</td></tr>
 * </table>
 *
 * <p>The numbers of E and X count how often these spaces have been dropped as a whole. New entries
 * therefore do not mix with old entries still being removed. The spaces below E are dropped
 * together with the entries.
 */
public final class CollectionKeys {
  /** The first document id. */
  public static final long FIRST_DOC_ID = 1;

  private static final String DEFINITIONS = "collections";
  private static final String DROPPED = "dropped";

  private final byte[] all;
  private final byte[] items;
  private final byte[] deleted;
  private final byte[] entries;
  private final byte[] pending;
  private final byte[] vectorMarks;
  private final byte[] savedVectors;
  private final byte[] groups;
  private final byte[] ids;
  private final byte[] job;
  private final byte[] docIds;
  private final byte[] uniques;
  private final byte[] expiries;

  /**
   * Creates the key layout of a collection.
   *
   * @param root the first part of all keys
   * @param collection the collection's id, not its name
   * @param entriesNumber the number of the space of entries
   * @param expiriesNumber the number of the space of expiries
   */
  public CollectionKeys(String root, String collection, int entriesNumber, int expiriesNumber) {
    this.all = KeyBytes.strings(root, collection);
    this.items = KeyBytes.strings(root, collection, "D");
    this.deleted = KeyBytes.strings(root, collection, "DX");
    this.entries = KeyBytes.strings(root, collection, "E" + entriesNumber);
    this.pending = KeyBytes.strings(root, collection, "E" + entriesNumber, "P");
    this.vectorMarks = KeyBytes.strings(root, collection, "E" + entriesNumber, "V");
    this.savedVectors = KeyBytes.strings(root, collection, "E" + entriesNumber, "W");
    this.groups = KeyBytes.strings(root, collection, "G");
    this.ids = KeyBytes.strings(root, collection, "I");
    this.job = KeyBytes.strings(root, collection, "J");
    this.docIds = KeyBytes.strings(root, collection, "N");
    this.uniques = KeyBytes.strings(root, collection, "U");
    this.expiries = KeyBytes.strings(root, collection, "X" + expiriesNumber);
  }

  // ---- all collections

  /** Returns the key of a collection's definition, by name. */
  public static byte[] definition(String root, String name) {
    return KeyBytes.strings(root, DEFINITIONS, name);
  }

  /** Returns the range of the definitions of all collections, in the order of their names. */
  public static ReadRange definitions(String root, int limit) {
    return below(KeyBytes.strings(root, DEFINITIONS), limit);
  }

  /** Returns the key that marks a dropped collection with remaining keys. */
  public static byte[] dropped(String root, String collection) {
    return KeyBytes.strings(root, DROPPED, collection);
  }

  /** Returns the range of the marks of dropped collections. */
  public static ReadRange allDropped(String root, int limit) {
    return below(KeyBytes.strings(root, DROPPED), limit);
  }

  /** Returns the key of the next collection id to allocate. */
  public static byte[] nextCollection(String root) {
    return KeyBytes.strings(root, "next");
  }

  private static ReadRange below(byte[] prefix, int limit) {
    return new ReadRange(prefix, KeyBytes.end(prefix), limit, false, false);
  }

  /** Returns the start of all keys of this collection, except its definition. */
  public byte[] allStart() {
    return all;
  }

  /** Returns the end of all keys of this collection, except its definition. */
  public byte[] allEnd() {
    return KeyBytes.end(all);
  }

  // ---- items

  /** Returns the key of the item with a document id. */
  public byte[] item(long docId) {
    return KeyBytes.bytes(items, DocIds.encode(docId));
  }

  /** Returns the start of all items, which are in the order of their document ids. */
  public byte[] itemsStart() {
    return items;
  }

  /** Returns the end of all items. */
  public byte[] itemsEnd() {
    return KeyBytes.endOfBytes(items);
  }

  /** Returns the start of the items from a document id on, inclusive. */
  public byte[] itemsFrom(long docId) {
    return KeyBytes.bound(items, DocIds.encode(docId));
  }

  /** Returns the range of the items of successive document ids. Both ids are inclusive. */
  public ReadRange items(long from, long to) {
    int count = Math.toIntExact(to - from + 1);
    return new ReadRange(item(from), KeyBytes.end(item(to)), count, false, false);
  }

  public long docIdOfItem(byte[] key) {
    return DocIds.read(KeyBytes.lastBytes(key, items.length), 0);
  }

  /** Returns the key of the record of the last deletion of items; directly after the items. */
  public byte[] deleted() {
    return deleted;
  }

  /**
   * Returns the end of {@link #deleted}: changes and deletions of items are changes before this
   * key.
   */
  public byte[] deletedEnd() {
    return KeyBytes.end(deleted);
  }

  // ---- index entries

  /** Returns the key of an index entry. */
  public byte[] entry(byte[] raw) {
    return KeyBytes.bytes(entries, raw);
  }

  /** Returns the index entry of a key. */
  public byte[] rawEntry(byte[] key) {
    return KeyBytes.lastBytes(key, entries.length);
  }

  /**
   * Returns the start of the entries that are not less than the given bytes, which may be a part of
   * an entry.
   */
  public byte[] entryBound(byte[] raw) {
    return KeyBytes.bound(entries, raw);
  }

  /** Returns the start of all index entries. */
  public byte[] entriesStart() {
    return entries;
  }

  /** Returns the end of all index entries. */
  public byte[] entriesEnd() {
    return KeyBytes.endOfBytes(entries);
  }

  /** Returns the end of all index entries and all pending indexing. */
  public byte[] entriesAndPendingEnd() {
    return KeyBytes.end(entries);
  }

  /** Returns the key of the pending indexing of an item. */
  public byte[] pending(long docId) {
    return KeyBytes.bytes(pending, DocIds.encode(docId));
  }

  /** Returns the range of pending indexing from a document id on, inclusive. */
  public ReadRange pendingFrom(long docId, int limit) {
    byte[] start = KeyBytes.bound(pending, DocIds.encode(docId));
    return new ReadRange(start, pendingEnd(), limit, false, false);
  }

  /** Returns the start of all pending indexing, which is in the order of document ids. */
  public byte[] pendingStart() {
    return pending;
  }

  /** Returns the end of all pending indexing. */
  public byte[] pendingEnd() {
    return KeyBytes.endOfBytes(pending);
  }

  public long docIdOfPending(byte[] key) {
    return DocIds.read(KeyBytes.lastBytes(key, pending.length), 0);
  }

  /**
   * Returns the key of a mark: the item's vector in an approximate index was changed, and the
   * structure in memory has not followed yet.
   */
  public byte[] vectorMark(int number, long docId) {
    return KeyBytes.bytes(vectorMarks, ofVectors(number, DocIds.encode(docId)));
  }

  /** Returns the key set by every commit that sets marks of a vector index. */
  public byte[] lastVectorMark(int number) {
    return KeyBytes.bytes(vectorMarks, ofVectors(number, new byte[0]));
  }

  /** Returns the range of the marks of a vector index, in the order of document ids. */
  public ReadRange vectorMarks(int number, int limit) {
    byte[] first = KeyBytes.bound(vectorMarks, ofVectors(number, new byte[] {1}));
    return new ReadRange(first, ofVectors(vectorMarks, number + 1), limit, false, true);
  }

  public long docIdOfVectorMark(byte[] key) {
    return DocIds.read(KeyBytes.lastBytes(key, vectorMarks.length), Integer.BYTES);
  }

  /** Returns the key of a part of the saved structure of a vector index. */
  public byte[] savedVectors(int number, byte[] part) {
    return KeyBytes.bytes(savedVectors, ofVectors(number, part));
  }

  /**
   * Returns the start of all vector marks and saved structures; directly after the pending
   * indexing.
   */
  public byte[] vectorsStart() {
    return vectorMarks;
  }

  private static byte[] ofVectors(byte[] space, int number) {
    return KeyBytes.bound(space, ofVectors(number, new byte[0]));
  }

  private static byte[] ofVectors(int number, byte[] rest) {
    byte[] raw = new byte[Integer.BYTES + rest.length];
    ByteBuffer.wrap(raw).putInt(number ^ Integer.MIN_VALUE).put(rest);
    return raw;
  }

  /**
   * Returns a range of entries. The bounds may be parts of entries.
   *
   * @param from the start, inclusive
   * @param to the end, exclusive
   * @param limit the maximum number of entries to read
   */
  public ReadRange entries(byte[] from, byte[] to, int limit, boolean reverse, boolean keysOnly) {
    return new ReadRange(entryBound(from), entryBound(to), limit, reverse, keysOnly);
  }

  // ---- groups that process changes

  /** Returns the key of the lease of a range of partition keys. */
  public byte[] lease(String group, int range) {
    byte[] raw = ByteBuffer.allocate(Integer.BYTES).putInt(range).array();
    return KeyBytes.bytes(KeyBytes.part(groups, group), raw);
  }

  /** Returns the range of all leases of a group, in the order of their numbers. */
  public ReadRange leases(String group, int limit) {
    byte[] start = KeyBytes.part(groups, group);
    return new ReadRange(start, KeyBytes.endOfBytes(start), limit, false, false);
  }

  // ---- other keys

  /** Returns the key that holds the document id of a partition and id. */
  public byte[] id(byte[] partitionAndId) {
    return KeyBytes.bytes(ids, partitionAndId);
  }

  /** Returns the start of the ids that are not less than the given bytes, which may be a part. */
  public byte[] idsFrom(byte[] partitionAndId) {
    return KeyBytes.bound(ids, partitionAndId);
  }

  public byte[] idsStart() {
    return ids;
  }

  public byte[] idsEnd() {
    return KeyBytes.endOfBytes(ids);
  }

  /** Returns the key that holds the document id of the owner of a unique key's values. */
  public byte[] unique(byte[] values) {
    return KeyBytes.bytes(uniques, values);
  }

  public byte[] uniquesStart() {
    return uniques;
  }

  public byte[] uniquesEnd() {
    return KeyBytes.endOfBytes(uniques);
  }

  /** Returns the key of the progress of background work. */
  public byte[] job() {
    return job;
  }

  /** Returns the key of the next document id to allocate. */
  public byte[] nextDocId() {
    return docIds;
  }

  /**
   * Returns the key of an expiry entry: by {@code kind}, {@code second} is the time of expiry, or
   * the time of the write if the collection's default applies.
   */
  public byte[] expiry(ExpiryKind kind, long second, long docId) {
    byte[] number = DocIds.encode(docId);
    byte[] raw = Arrays.copyOf(expiryBound(kind, second), 1 + Long.BYTES + number.length);
    System.arraycopy(number, 0, raw, 1 + Long.BYTES, number.length);
    return KeyBytes.bytes(expiries, raw);
  }

  private static byte[] expiryBound(ExpiryKind kind, long second) {
    byte[] raw = new byte[1 + Long.BYTES];
    raw[0] = kind.code();
    KeyBytes.putLong(raw, 1, second ^ Long.MIN_VALUE);
    return raw;
  }

  /** Returns the range of the expiry entries of a kind up to a second, inclusive. */
  public ReadRange expiries(ExpiryKind kind, long second, int limit) {
    return new ReadRange(
        KeyBytes.bound(expiries, new byte[] {kind.code()}),
        KeyBytes.bound(expiries, expiryBound(kind, second + 1)),
        limit,
        false,
        true);
  }

  public byte[] expiriesStart() {
    return expiries;
  }

  public byte[] expiriesEnd() {
    return KeyBytes.endOfBytes(expiries);
  }

  public long secondOfExpiry(byte[] key) {
    return KeyBytes.toLong(KeyBytes.lastBytes(key, expiries.length), 1) ^ Long.MIN_VALUE;
  }

  public long docIdOfExpiry(byte[] key) {
    return DocIds.read(KeyBytes.lastBytes(key, expiries.length), 1 + Long.BYTES);
  }
}
