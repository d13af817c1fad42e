package io.kvreactive.internal.store.image.nodes;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import kotlin.collections.LongIterator;
import org.jspecify.annotations.Nullable;
import org.mapdb.Serializer;
import org.mapdb.Store;

/**
 * The records of a tree, whose inner nodes are cached as objects for readers. Otherwise, a reader
 * would unpack one on every level of every lookup. (Measured: 2.7 instead of 4.3 microseconds among
 * 1M keys.)
 *
 * <p>A reader may get a node that is being replaced, as without a cache. In MapDB's B-link tree
 * nodes only split to the right and are never freed. So an old inner node leads to the right node,
 * or to one left of it that links to it. The writer bypasses the cache. The pointer to the root is
 * cached likewise.
 */
public final class NodeCache implements Store {
  /** One in so many nodes that are not cached replaces another one. */
  private static final int REPLACING = 16;

  /** Maximum size of a cached node in bytes; keys may have up to 2 KiB each. */
  static final int MAX_BYTES = 16 << 10;

  private final Store store;
  private final AtomicReferenceArray<@Nullable SearchNode> kept;
  private final AtomicReference<@Nullable Root> root = new AtomicReference<>();
  private final AtomicInteger changes = new AtomicInteger();

  private record Root(long pointer, long recid) {}

  /**
   * Creates a cache.
   *
   * @param nodes the maximum number of cached nodes, of 3 to 4 KiB each with keys of 40 bytes; a
   *     power of two
   */
  public NodeCache(Store store, int nodes) {
    this.store = store;
    this.kept = new AtomicReferenceArray<>(nodes);
  }

  private int slot(long recid) {
    return (int) (recid * 0x9E3779B97F4A7C15L >>> 32) & kept.length() - 1;
  }

  @Override
  public <R> R get(long recid, Serializer<R> serializer) {
    return store.get(recid, serializer);
  }

  /** Returns an inner node for readers, or null if it is not cached. */
  @Nullable SearchNode cached(long recid) {
    SearchNode hit = kept.get(slot(recid));
    return hit != null && hit.recid() == recid ? hit : null;
  }

  /**
   * Returns true if a node that is not cached should be. If there are more nodes than places, most
   * of them are not: making objects that are soon replaced costs more than it saves.
   */
  boolean keeps(long recid) {
    return kept.get(slot(recid)) == null || ThreadLocalRandom.current().nextInt(REPLACING) == 0;
  }

  /**
   * Reads a node for readers, and caches it if the result is an inner node.
   *
   * @return the inner node, or null for other results
   */
  @Nullable SearchNode read(long recid, Serializer<ImageNode> form) {
    int seen = changes.get();
    @Nullable ImageNode node = store.get(recid, form);
    if (node == null) {
      throw new KvException(KvErrorCode.CORRUPT, "no node " + recid + " in the image");
    }
    if (!(node instanceof InnerNode inner)) {
      return null;
    }
    SearchNode read = inner.prepared(recid);
    kept.set(slot(recid), read);
    if (changes.get() != seen) { // possibly of this node, after it was read
      kept.compareAndSet(slot(recid), read, null);
    }
    return read;
  }

  /**
   * Returns the root for readers. A former root is the leftmost node of its level, so it leads to
   * all keys.
   *
   * @param pointer the record with the recid of the root
   */
  long root(long pointer) {
    Root hit = root.get();
    if (hit != null && hit.pointer == pointer) {
      return hit.recid;
    }
    int seen = changes.get();
    Root read = new Root(pointer, store.get(pointer, Serializer.RECID));
    root.set(read);
    if (changes.get() != seen) { // possibly of the root, after it was read
      root.compareAndSet(read, null);
    }
    return read.recid;
  }

  private void removeNode(long recid) {
    changes.incrementAndGet();
    kept.set(slot(recid), null);
    Root known = root.get();
    if (known != null && known.pointer == recid) {
      root.set(null);
    }
  }

  @Override
  public <R> void update(long recid, R record, Serializer<R> serializer) {
    store.update(recid, record, serializer);
    removeNode(recid);
  }

  @Override
  public <R> boolean compareAndSwap(long recid, R expected, R record, Serializer<R> serializer) {
    boolean swapped = store.compareAndSwap(recid, expected, record, serializer);
    removeNode(recid);
    return swapped;
  }

  @Override
  public <R> void delete(long recid, Serializer<R> serializer) {
    store.delete(recid, serializer);
    removeNode(recid);
  }

  @Override
  public long preallocate() {
    return store.preallocate();
  }

  @Override
  public <R> long put(R record, Serializer<R> serializer) {
    return store.put(record, serializer);
  }

  @Override
  public void commit() {
    store.commit();
  }

  @Override
  public void compact() {
    store.compact();
  }

  @Override
  public void close() {
    store.close();
  }

  @Override
  public boolean isClosed() {
    return store.isClosed();
  }

  @Override
  public void verify() {
    store.verify();
  }

  @Override
  public boolean isReadOnly() {
    return store.isReadOnly();
  }

  @Override
  public boolean fileLoad() {
    return store.fileLoad();
  }

  @Override
  public LongIterator getAllRecids() {
    return store.getAllRecids();
  }

  @Override
  public Iterable<String> getAllFiles() {
    return store.getAllFiles();
  }

  @Override
  public boolean isThreadSafe() {
    return store.isThreadSafe();
  }

  @Override
  public void checkThreadSafe() {
    store.checkThreadSafe();
  }
}
