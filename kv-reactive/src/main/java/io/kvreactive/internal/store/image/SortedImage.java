package io.kvreactive.internal.store.image;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.image.nodes.DescendingRecords;
import io.kvreactive.internal.store.image.nodes.ImageReader;
import io.kvreactive.internal.store.image.nodes.ImageRecord;
import io.kvreactive.internal.store.image.nodes.LeafBatchWriter;
import io.kvreactive.internal.store.image.nodes.NodeCache;
import io.kvreactive.internal.store.memtable.ExpiryKey;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;
import org.mapdb.Store;
import org.mapdb.serializer.GroupSerializer;

/**
 * The sorted image: the newest value of every key as of a version, in a MapDB tree. It lacks the
 * commits that are in the memtables.
 *
 * <p>One thread changes it, any thread reads. Readers must not look up keys that are being changed:
 * the store serves those from the memtable that is being written to the image.
 */
public final class SortedImage implements Closeable {
  private static final int MAX_NODE_SIZE = 32;
  private static final int CACHED_NODES = 4096;
  private static final byte[] NOTHING = {};

  private final Pager pager;
  private final @Nullable Checkpoint checkpoint;
  private final DB db;
  private final Store records;
  private final BTreeMap<byte[], ImageRecord> tree;
  private final LeafBatchWriter changes;
  private final ImageReader reader; // of the same tree
  private final BTreeMap<byte[], byte[]> expiry;
  private final org.mapdb.Atomic.Long version;
  private final org.mapdb.Atomic.Long millis;
  private final org.mapdb.Atomic.Long storedKeys;
  private final AtomicLong keys = new AtomicLong();
  private final List<ImageWalk> walks = new ArrayList<>();
  private long earliestExpiry = Long.MAX_VALUE;
  private long removed;

  private SortedImage(Pager pager, @Nullable Checkpoint checkpoint, boolean exists) {
    this.pager = pager;
    this.checkpoint = checkpoint;
    this.db = DBMaker.volumeDB(pager, exists).make();
    this.records = db.getStore();
    NodeCache nodes = new NodeCache(records, CACHED_NODES);
    this.tree = openTree("data", new ImageRecord.Codec(), nodes);
    this.changes = new LeafBatchWriter(tree, nodes, MAX_NODE_SIZE);
    this.reader = new ImageReader(nodes, tree.getRootRecidRecid());
    this.expiry = openTree("expiry", new ImageRecord.KeyCodec(), records);
    this.storedKeys = db.atomicLong("keys").createOrOpen();
    keys.set(storedKeys.get());
    this.version = db.atomicLong("version").createOrOpen();
    this.millis = db.atomicLong("millis").createOrOpen();
  }

  /**
   * Returns the tree of the catalog without MapDB's node locks, which separate writers, of which
   * there is only one.
   */
  private <V> BTreeMap<byte[], V> openTree(String name, GroupSerializer<V> values, Store nodes) {
    ImageRecord.KeyCodec keys = new ImageRecord.KeyCodec();
    BTreeMap<byte[], V> catalogued =
        db.treeMap(name, keys, values).maxNodeSize(MAX_NODE_SIZE).createOrOpen();
    return new BTreeMap<>(
        keys,
        values,
        catalogued.getRootRecidRecid(),
        nodes,
        catalogued.getValueInline(),
        MAX_NODE_SIZE,
        keys,
        false,
        catalogued.getCounterRecid(),
        true,
        null);
  }

  /** Opens the image of a directory, finishing a checkpoint that a crash interrupted. */
  public static SortedImage open(Disk disk, Path directory) throws IOException {
    return open(disk, ImageFiles.current(directory));
  }

  /**
   * Deletes all images except the directory's current one: replaced ones, and unfinished ones. Must
   * be called after the current one was opened successfully.
   */
  public static void deleteOthers(Disk disk, Path directory) throws IOException {
    ImageFiles files = ImageFiles.current(directory);
    for (ImageFiles other : ImageFiles.in(directory)) {
      if (!other.equals(files)) {
        Checkpoint.delete(disk, other);
      }
    }
  }

  /** Deletes the files of an image that is closed. */
  public static void delete(Disk disk, ImageFiles files) throws IOException {
    Checkpoint.delete(disk, files);
  }

  /** Opens an image by the names of its files. */
  public static SortedImage open(Disk disk, ImageFiles files) throws IOException {
    Checkpoint checkpoint = Checkpoint.open(disk, files);
    Pager pager = checkpoint.pager();
    try {
      return new SortedImage(pager, checkpoint, pager.length() > 0);
    } catch (KvException e) {
      checkpoint.close();
      throw e;
    } catch (RuntimeException | Error e) {
      checkpoint.close();
      throw new KvException(KvErrorCode.CORRUPT, files.image() + " cannot be read: " + e, e);
    }
  }

  /** Returns an image without files. */
  public static SortedImage inMemory() {
    return new SortedImage(new Pager(null), null, false);
  }

  /**
   * Returns the version up to which every commit is in the image. Later commits may be in it
   * partly.
   */
  public long version() {
    return version.get();
  }

  /** Returns the record of a key, or null if there is none. */
  public @Nullable ImageRecord find(byte[] key) {
    return reader.find(key);
  }

  /** Returns the value of a record. */
  public KvValue load(ImageRecord record) {
    byte[] bytes = record.inline();
    if (bytes == null) {
      bytes = records.get(record.recid(), Serializer.BYTE_ARRAY_NOSIZE);
    }
    if (bytes == null) {
      throw new KvException(KvErrorCode.CORRUPT, "no record " + record.recid() + " in the image");
    }
    return new KvValue(record.encoding(), bytes);
  }

  /** Returns the records from {@code start} (inclusive) to {@code end} (exclusive). */
  public Iterator<Map.Entry<byte[], ImageRecord>> range(byte[] start, byte[] end, boolean reverse) {
    return reverse
        ? new DescendingRecords(records, tree.getRootRecidRecid(), start, end)
        : reader.range(start, end);
  }

  /**
   * Returns the {@link ExpiryKey}s of all records that expire, ascending.
   *
   * @param after the exclusive start; empty for the first
   */
  public Iterator<byte[]> expiry(byte[] after) {
    return expiry.keyIterator(after, false, null, false);
  }

  /**
   * Returns the earliest expiry among those put since the last call; Long.MAX_VALUE if there was
   * none. Must be called on the thread that puts.
   */
  public long takeEarliestExpiry() {
    long earliest = earliestExpiry;
    earliestExpiry = Long.MAX_VALUE;
    return earliest;
  }

  /** Returns the number of keys removed since the image was opened. */
  public long removed() {
    return removed;
  }

  /** Returns the number of keys. */
  public long keys() {
    return keys.get();
  }

  /**
   * Returns the size in bytes: of the file with the additions of the next checkpoint; without a
   * file, on the heap.
   */
  public long bytes() {
    return pager.length();
  }

  /**
   * Returns the number of pages that did not match their checksums since the image was opened.
   * Thread-safe.
   */
  public long damagedPages() {
    return pager.damagedPages();
  }

  /** Removes a key if it is present. */
  public void remove(byte[] key) {
    removeInOrder(key);
    flush();
  }

  /**
   * Removes a key if it is present, possibly not before {@link #flush}, so that removals in key
   * order cost less.
   */
  public void removeInOrder(byte[] key) {
    ImageRecord old = changes.remove(key);
    if (old != null) {
      keys.decrementAndGet();
      removed++;
      walks.forEach(walk -> walk.removed(key));
      free(key, old, 0);
    }
  }

  /** Sets a key. */
  public void put(byte[] key, long version, KvValue value, long expireAt) {
    putInOrder(key, version, value, expireAt);
    flush();
  }

  /** Applies pending changes in order. A checkpoint does this first. */
  public void flush() {
    changes.flush();
  }

  /** Sets a key, possibly not before {@link #flush}. */
  public void putInOrder(byte[] key, long version, KvValue value, long expireAt) {
    ImageRecord old = changes.put(key, record(version, value, expireAt));
    if (old == null) {
      keys.incrementAndGet();
      walks.forEach(walk -> walk.added(key));
    } else {
      free(key, old, expireAt);
    }
    if (expireAt != 0 && (old == null || old.expireAt() != expireAt)) {
      index(key, expireAt);
    }
  }

  private ImageRecord record(long version, KvValue value, long expireAt) {
    byte[] bytes = value.bytes();
    if (bytes.length <= ImageRecord.MAX_INLINE) {
      return new ImageRecord(version, expireAt, value.encoding(), bytes, 0);
    }
    long recid = records.put(bytes, Serializer.BYTE_ARRAY_NOSIZE);
    return new ImageRecord(version, expireAt, value.encoding(), null, recid);
  }

  private void index(byte[] key, long expireAt) {
    expiry.put(ExpiryKey.of(expireAt, key), NOTHING);
    earliestExpiry = Math.min(earliestExpiry, expireAt);
  }

  private void free(byte[] key, ImageRecord old, long expireAt) {
    if (old.inline() == null) {
      records.delete(old.recid(), Serializer.BYTE_ARRAY_NOSIZE);
    }
    if (old.expireAt() != 0 && old.expireAt() != expireAt) {
      expiry.remove(ExpiryKey.of(old.expireAt(), key));
    }
  }

  /** Returns the memory that only a {@link #checkpoint} releases. */
  public long dirtyBytes() {
    return checkpoint == null ? 0 : (long) pager.dirtyPages() * Pager.PAGE;
  }

  /**
   * Sets the version up to which every commit is in the image, as of the next checkpoint.
   *
   * @param time the store's time in milliseconds since 1970, which never goes back
   */
  public void advance(long to, long time) {
    version.set(to);
    millis.set(Math.max(time, millis.get()));
  }

  /** Resets the store's time, as of the next checkpoint. */
  public void resetMillis(long time) {
    millis.set(time);
  }

  /** Returns a time that the store had reached, in milliseconds since 1970. */
  public long millis() {
    return millis.get();
  }

  /** Makes all changes durable, atomically. Can be retried if it fails. */
  public void checkpoint() throws IOException {
    flush();
    if (checkpoint != null) {
      storedKeys.set(keys.get());
      db.commit();
      checkpoint.write();
    }
  }

  /** Closes the files without a checkpoint: the log has what they lack. */
  @Override
  public void close() throws IOException {
    if (checkpoint != null) {
      checkpoint.close();
    }
  }

  /** Returns a check of the file against its checksums, or null for an image without files. */
  public @Nullable PageCheck pageCheck() {
    return checkpoint == null ? null : new PageCheck(checkpoint);
  }

  /** Returns the file, or null for an image without files. */
  public @Nullable Path file() {
    return checkpoint == null ? null : checkpoint.path();
  }

  /** Returns a walk over all records in steps, between which the image may be changed. */
  public ImageWalk walk() {
    ImageWalk walk = new ImageWalk(tree, walks::remove);
    walks.add(walk);
    return walk;
  }

  /** Returns true if the index of expiry has a key at a time. */
  public boolean isIndexed(byte[] key, long expireAt) {
    return expiry.containsKey(ExpiryKey.of(expireAt, key));
  }

  /**
   * Returns an empty image for {@link ImageBuilder}, which writes its nodes and long values itself.
   */
  static SortedImage create(Checkpoint checkpoint) {
    return new SortedImage(checkpoint.pager(), checkpoint, false);
  }

  /** Counts and indexes a key that {@link #adopt} will add, and returns its record. */
  ImageRecord toBeBuiltIn(byte[] key, long version, KvValue value, long expireAt) {
    keys.incrementAndGet();
    if (expireAt != 0) {
      index(key, expireAt);
    }
    return record(version, value, expireAt);
  }

  /** Returns the store of nodes and long values. */
  Store records() {
    return records;
  }

  /**
   * Replaces the root, which has no keys, by another one. The image must not be read afterwards.
   *
   * @param other the record with the recid of the other root
   */
  void adopt(long other, long version) {
    long own = tree.getRootRecidRecid();
    records.delete(records.get(own, Serializer.RECID), Serializer.BYTE_ARRAY_NOSIZE);
    records.update(own, records.get(other, Serializer.RECID), Serializer.RECID);
    records.delete(other, Serializer.RECID);
    advance(version, 0);
    storedKeys.set(keys.get());
    db.commit();
  }
}
