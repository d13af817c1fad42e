package io.kvreactive.internal.store.image;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.internal.store.file.Disk;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;
import org.mapdb.Store;

/**
 * The sorted image: the newest value of every key as of a version, in a MapDB tree. It lags behind
 * the log by what the generations in memory hold.
 *
 * <p>One thread changes it, any thread reads. Readers must not ask for keys that are being changed:
 * the store serves those from the generation that is being written to the image.
 */
public final class Image implements Closeable {
  private static final int MAX_NODE_SIZE = 32;

  private final Pager pager;
  private final @Nullable Checkpoint checkpoint;
  private final DB db;
  private final Store records;
  private final BTreeMap<byte[], ImageRecord> tree;
  private final org.mapdb.Atomic.Long version;

  private Image(Pager pager, @Nullable Checkpoint checkpoint, boolean exists) {
    this.pager = pager;
    this.checkpoint = checkpoint;
    this.db = DBMaker.volumeDB(pager, exists).make();
    this.records = db.getStore();
    this.tree = openTree();
    this.version = db.atomicLong("version").createOrOpen();
  }

  /**
   * The tree as the catalog has it, but without MapDB's node locks: they keep writers apart, and
   * there is only one.
   */
  private BTreeMap<byte[], ImageRecord> openTree() {
    ImageRecord.KeyCodec keys = new ImageRecord.KeyCodec();
    ImageRecord.Codec values = new ImageRecord.Codec();
    BTreeMap<byte[], ImageRecord> catalogued =
        db.treeMap("data", keys, values).maxNodeSize(MAX_NODE_SIZE).createOrOpen();
    return new BTreeMap<>(
        keys,
        values,
        catalogued.getRootRecidRecid(),
        records,
        catalogued.getValueInline(),
        MAX_NODE_SIZE,
        keys,
        false,
        catalogued.getCounterRecid(),
        true,
        null);
  }

  /** Opens the image of a directory, finishing a checkpoint that a crash interrupted. */
  public static Image open(Disk disk, Path directory) throws IOException {
    Checkpoint checkpoint = Checkpoint.open(disk, directory);
    Pager pager = checkpoint.pager();
    try {
      return new Image(pager, checkpoint, pager.length() > 0);
    } catch (RuntimeException | Error e) {
      checkpoint.close();
      throw new KvException(
          KvErrorCode.CORRUPT, directory.resolve("image.db") + " cannot be read: " + e, e);
    }
  }

  /** An image without files. */
  public static Image inMemory() {
    return new Image(new Pager(null), null, false);
  }

  /** Every commit up to this version is in the image. Commits after it may be in parts. */
  public long version() {
    return version.get();
  }

  /** The record of a key; null when there is none. */
  public @Nullable ImageRecord find(byte[] key) {
    return tree.get(key);
  }

  /** The value of a record. */
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

  /** The records from {@code start} (inclusive) to {@code end} (exclusive). */
  public Iterator<Map.Entry<byte[], ImageRecord>> range(byte[] start, byte[] end, boolean reverse) {
    return reverse
        ? tree.descendingEntryIterator(start, true, end, false)
        : tree.entryIterator(start, true, end, false);
  }

  /** Removes a key, if it is there. */
  public void remove(byte[] key) {
    free(tree.remove(key));
  }

  /** Sets a key. */
  public void put(byte[] key, long version, KvValue value) {
    byte[] bytes = value.bytes();
    ImageRecord record =
        bytes.length <= ImageRecord.MAX_INLINE
            ? new ImageRecord(version, value.encoding(), bytes, 0)
            : new ImageRecord(
                version, value.encoding(), null, records.put(bytes, Serializer.BYTE_ARRAY_NOSIZE));
    free(tree.put(key, record));
  }

  private void free(@Nullable ImageRecord old) {
    if (old != null && old.inline() == null) {
      records.delete(old.recid(), Serializer.BYTE_ARRAY_NOSIZE);
    }
  }

  /** Memory that only a {@link #checkpoint} frees. */
  public long dirtyBytes() {
    return checkpoint == null ? 0 : (long) pager.dirtyPages() * Pager.PAGE;
  }

  /** Names the version up to which every commit is in the image, as of the next checkpoint. */
  public void advance(long to) {
    version.set(to);
  }

  /** Makes all changes durable, all or none. Can be tried again when it fails. */
  public void checkpoint() throws IOException {
    if (checkpoint != null) {
      db.commit();
      checkpoint.write();
    }
  }

  /** Closes the files without a checkpoint: what is not in them is in the log. */
  @Override
  public void close() throws IOException {
    if (checkpoint != null) {
      checkpoint.close();
    }
  }
}
