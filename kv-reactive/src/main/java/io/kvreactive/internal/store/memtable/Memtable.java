package io.kvreactive.internal.store.memtable;

import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;

/**
 * One memtable of commits: for each key the versions that some reader may still ask for, newest
 * first, and the deletions of whole ranges. The store thread adds; any thread reads at a version.
 * An entry is never taken out while a reader can see it; memtables go as a whole.
 */
public final class Memtable {
  /** Heap of a place in the tree and a version beside the bytes of key and value. */
  static final int OVERHEAD = 140;

  private static final int VERSION_OVERHEAD = 72;

  private final KeyTree keys = new KeyTree();
  private final ConcurrentSkipListSet<byte[]> expiry =
      new ConcurrentSkipListSet<>(Arrays::compareUnsigned);
  private volatile RangeDeletions deletions = RangeDeletions.NONE;
  private long bytes;

  /** Adds what a commit did to a key. Versions must not decrease. */
  public void put(byte[] key, VersionedValue state, long keepFrom) {
    VersionedValue before = keys.put(key, state);
    if (before == null) {
      bytes += OVERHEAD + key.length + state.valueBytes();
    } else {
      unindex(key, before.expireAt());
      bytes += VERSION_OVERHEAD + state.valueBytes();
      bytes -= state.prune(keepFrom, VERSION_OVERHEAD);
    }
    index(key, state.expireAt());
  }

  private void index(byte[] key, long expireAt) {
    if (expireAt != 0) {
      expiry.add(ExpiryKey.of(expireAt, key));
      bytes += OVERHEAD + key.length;
    }
  }

  private void unindex(byte[] key, long expireAt) {
    if (expireAt != 0 && expiry.remove(ExpiryKey.of(expireAt, key))) {
      bytes -= OVERHEAD + key.length;
    }
  }

  /**
   * Adds the deletion of all versions before {@code version} in a range.
   *
   * @param keepFrom the oldest version that a reader has or may get
   */
  public void deleteRange(byte[] start, byte[] end, long version, long keepFrom) {
    deletions = deletions.with(new RangeDeletion(start, end, version), keepFrom);
    bytes += OVERHEAD + start.length + end.length;
  }

  /** Takes back what was added after {@code version} under the given keys. */
  public void rollback(Iterable<byte[]> changed, long version, long bytesThen) {
    for (byte[] key : changed) {
      VersionedValue newest = keys.get(key);
      if (newest == null) {
        continue;
      }
      unindex(key, newest.expireAt());
      VersionedValue before = newest.at(version);
      keys.reset(key, before);
      if (before != null) {
        index(key, before.expireAt());
      }
    }
    bytes = bytesThen;
    deletions = deletions.upTo(version);
  }

  /** Returns the newest state of a key at a version, or null if this memtable does not know it. */
  public @Nullable VersionedValue get(byte[] key, long at) {
    return state(key, keys.get(key), at);
  }

  /** Returns the newest state at a version of a key whose newest version is at hand. */
  public @Nullable VersionedValue state(byte[] key, @Nullable VersionedValue newest, long at) {
    VersionedValue state = newest == null ? null : newest.at(at);
    RangeDeletions ranges = deletions;
    long deleted = ranges == RangeDeletions.NONE ? 0 : ranges.newest(key, at);
    if (deleted != 0 && (state == null || deleted > state.version())) {
      return new VersionedValue(deleted, null, 0);
    }
    return state;
  }

  /**
   * Returns the keys from {@code start} (inclusive) to {@code end} (exclusive) with their newest
   * versions, in either direction.
   */
  public Iterator<Map.Entry<byte[], VersionedValue>> range(
      byte[] start, byte[] end, boolean reverse) {
    return keys.range(start, end, reverse);
  }

  /** Returns all keys with their newest versions, ascending. */
  public Iterator<Map.Entry<byte[], VersionedValue>> all() {
    return keys.all();
  }

  /** How many keys it knows. */
  public int size() {
    return keys.size();
  }

  /** Returns the deletions of ranges. */
  public RangeDeletions deletions() {
    return deletions;
  }

  /**
   * Returns the {@link ExpiryKey}s of the newest versions, ascending. Of keys in a deleted range
   * some may be left: ask the state before acting.
   */
  public NavigableSet<byte[]> expiry() {
    return expiry;
  }

  /** An estimate of the heap this memtable takes. Only for the thread that adds. */
  public long bytes() {
    return bytes;
  }
}
