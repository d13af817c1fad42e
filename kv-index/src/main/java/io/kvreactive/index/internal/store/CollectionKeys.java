package io.kvreactive.index.internal.store;

import io.kvreactive.index.internal.encoding.DocIds;
import io.kvreactive.spi.ReadRange;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Where the keys of a collection stand. All are keys as {@code KvKey} makes them: the root, the
 * collection's id, the letter of a space, and bytes.
 *
 * <table>
 * <caption>Spaces</caption>
 * <tr><th>Letter</th><th>Bytes</th><th>Value</th></tr>
 * <tr><td>D</td><td>docId</td><td>{@link StoredItem}</td></tr>
 * <tr><td>DX</td><td>none</td><td>what the last commit that deleted items deleted</td></tr>
 * <tr><td>E1</td><td>an index entry</td><td>nothing; the elements of a vector</td></tr>
 * <tr><td>E1, P</td><td>docId</td><td>{@link PendingIndexing}</td></tr>
 * <tr><td>E1, V</td><td>number of a vector index, docId</td><td>nothing: a changed vector</td></tr>
 * <tr><td>E1, W</td><td>number of a vector index, ...</td><td>what was saved of it</td></tr>
 * <tr><td>I</td><td>partition and id, or their hash</td><td>docId</td></tr>
 * <tr><td>J</td><td>none</td><td>how far background work has come</td></tr>
 * <tr><td>N</td><td>none</td><td>the next docId to give away</td></tr>
 * <tr><td>U</td><td>unique key, partition and values, or their hash</td><td>docId</td></tr>
 * <tr><td>X1</td><td>kind, second, docId</td><td>nothing</td></tr>
 * </table>
 *
 * <p>The numbers of E and X count how often these have been given up as a whole: so new ones do not
 * mix with old ones that are still being removed. What is below E goes with the entries.
 */
public final class CollectionKeys {
  /** DocIds begin with it. */
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
  private final byte[] ids;
  private final byte[] job;
  private final byte[] docIds;
  private final byte[] uniques;
  private final byte[] expiries;

  /**
   * @param root first part of all keys
   * @param collection the collection's id, not its name
   * @param entriesNumber which entries
   * @param expiriesNumber which expiries
   */
  public CollectionKeys(String root, String collection, int entriesNumber, int expiriesNumber) {
    this.all = KeyBytes.strings(root, collection);
    this.items = KeyBytes.strings(root, collection, "D");
    this.deleted = KeyBytes.strings(root, collection, "DX");
    this.entries = KeyBytes.strings(root, collection, "E" + entriesNumber);
    this.pending = KeyBytes.strings(root, collection, "E" + entriesNumber, "P");
    this.vectorMarks = KeyBytes.strings(root, collection, "E" + entriesNumber, "V");
    this.savedVectors = KeyBytes.strings(root, collection, "E" + entriesNumber, "W");
    this.ids = KeyBytes.strings(root, collection, "I");
    this.job = KeyBytes.strings(root, collection, "J");
    this.docIds = KeyBytes.strings(root, collection, "N");
    this.uniques = KeyBytes.strings(root, collection, "U");
    this.expiries = KeyBytes.strings(root, collection, "X" + expiriesNumber);
  }

  // ---- of all collections

  /** The definition of a collection, by its name. */
  public static byte[] definition(String root, String name) {
    return KeyBytes.strings(root, DEFINITIONS, name);
  }

  /** The definitions of all collections; in the order of their names. */
  public static ReadRange definitions(String root, int limit) {
    return below(KeyBytes.strings(root, DEFINITIONS), limit);
  }

  /** What is left of a collection that was dropped. */
  public static byte[] dropped(String root, String collection) {
    return KeyBytes.strings(root, DROPPED, collection);
  }

  /** What is left of dropped collections. */
  public static ReadRange allDropped(String root, int limit) {
    return below(KeyBytes.strings(root, DROPPED), limit);
  }

  /** The next collection id to give away. */
  public static byte[] nextCollection(String root) {
    return KeyBytes.strings(root, "next");
  }

  private static ReadRange below(byte[] prefix, int limit) {
    return new ReadRange(prefix, KeyBytes.end(prefix), limit, false, false);
  }

  /** Before all keys of this collection, except its definition. */
  public byte[] allStart() {
    return all;
  }

  /** Behind them. */
  public byte[] allEnd() {
    return KeyBytes.end(all);
  }

  // ---- items

  /** The item of that docId. */
  public byte[] item(long docId) {
    return KeyBytes.bytes(items, DocIds.encode(docId));
  }

  /** Before all items; they are in the order of their docIds. */
  public byte[] itemsStart() {
    return items;
  }

  /** Behind all items. */
  public byte[] itemsEnd() {
    return KeyBytes.endOfBytes(items);
  }

  /** All items from a docId on, that one included. */
  public byte[] itemsFrom(long docId) {
    return KeyBytes.bound(items, DocIds.encode(docId));
  }

  public long docIdOfItem(byte[] key) {
    return DocIds.read(KeyBytes.lastBytes(key, items.length), 0);
  }

  /** What the last commit that deleted items deleted; directly behind the items. */
  public byte[] deleted() {
    return deleted;
  }

  /** Behind {@link #deleted}: changes of items and deletions are what is changed before it. */
  public byte[] deletedEnd() {
    return KeyBytes.end(deleted);
  }

  // ---- index entries

  /** The key of an index entry. */
  public byte[] entry(byte[] raw) {
    return KeyBytes.bytes(entries, raw);
  }

  /** The entry that a key is of. */
  public byte[] rawEntry(byte[] key) {
    return KeyBytes.lastBytes(key, entries.length);
  }

  /** Where entries begin that are not less than this one, which need not be a whole entry. */
  public byte[] entryBound(byte[] raw) {
    return KeyBytes.bound(entries, raw);
  }

  /** Before all entries. */
  public byte[] entriesStart() {
    return entries;
  }

  /** Behind all entries. */
  public byte[] entriesEnd() {
    return KeyBytes.endOfBytes(entries);
  }

  /** Behind all entries and all that is pending. */
  public byte[] entriesAndPendingEnd() {
    return KeyBytes.end(entries);
  }

  /** What of an item is not in the indexes yet. */
  public byte[] pending(long docId) {
    return KeyBytes.bytes(pending, DocIds.encode(docId));
  }

  /** What is pending from a docId on, that one included. */
  public ReadRange pendingFrom(long docId, int limit) {
    byte[] start = KeyBytes.bound(pending, DocIds.encode(docId));
    return new ReadRange(start, pendingEnd(), limit, false, false);
  }

  /** Before all that is pending; it is in the order of docIds. */
  public byte[] pendingStart() {
    return pending;
  }

  /** Behind it. */
  public byte[] pendingEnd() {
    return KeyBytes.endOfBytes(pending);
  }

  public long docIdOfPending(byte[] key) {
    return DocIds.read(KeyBytes.lastBytes(key, pending.length), 0);
  }

  /** That the vector of an item in an approximate index was changed, and is not followed yet. */
  public byte[] vectorMark(int number, long docId) {
    return KeyBytes.bytes(vectorMarks, ofVectors(number, DocIds.encode(docId)));
  }

  /** Returns the key that each commit sets that sets marks of a vector index. */
  public byte[] lastVectorMark(int number) {
    return KeyBytes.bytes(vectorMarks, ofVectors(number, new byte[0]));
  }

  /** The marks of a vector index, in the order of docIds. */
  public ReadRange vectorMarks(int number, int limit) {
    byte[] first = KeyBytes.bound(vectorMarks, ofVectors(number, new byte[] {1}));
    return new ReadRange(first, ofVectors(vectorMarks, number + 1), limit, false, true);
  }

  public long docIdOfVectorMark(byte[] key) {
    return DocIds.read(KeyBytes.lastBytes(key, vectorMarks.length), Integer.BYTES);
  }

  /** A part of what was saved of a vector index; the rest of the key says which. */
  public byte[] savedVectors(int number, byte[] part) {
    return KeyBytes.bytes(savedVectors, ofVectors(number, part));
  }

  /** All that was saved of a vector index. */
  public ReadRange savedVectors(int number, int limit) {
    byte[] start = ofVectors(savedVectors, number);
    return new ReadRange(start, ofVectors(savedVectors, number + 1), limit, false, false);
  }

  /** Before all marks of vectors and all that was saved; directly behind what is pending. */
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
   * Entries from one (inclusive) to another (exclusive), which need not be whole entries.
   *
   * @param limit most entries to read
   */
  public ReadRange entries(byte[] from, byte[] to, int limit, boolean reverse, boolean keysOnly) {
    return new ReadRange(entryBound(from), entryBound(to), limit, reverse, keysOnly);
  }

  // ---- the rest

  /** The docId of a partition and id. */
  public byte[] id(byte[] partitionAndId) {
    return KeyBytes.bytes(ids, partitionAndId);
  }

  public byte[] idsStart() {
    return ids;
  }

  public byte[] idsEnd() {
    return KeyBytes.endOfBytes(ids);
  }

  /** The docId that has the values of a unique key. */
  public byte[] unique(byte[] values) {
    return KeyBytes.bytes(uniques, values);
  }

  public byte[] uniquesStart() {
    return uniques;
  }

  public byte[] uniquesEnd() {
    return KeyBytes.endOfBytes(uniques);
  }

  /** How far background work has come. */
  public byte[] job() {
    return job;
  }

  /** The next docId to give away. */
  public byte[] nextDocId() {
    return docIds;
  }

  /** When an item expires, or when one was written that goes by the collection's default. */
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

  /** Expiries of a kind up to a second, that one included. */
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
