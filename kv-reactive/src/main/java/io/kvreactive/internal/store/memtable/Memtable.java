package io.kvreactive.internal.store.memtable;

import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;

/**
 * A memtable: for each key the versions that a reader may still request, newest first, and the
 * deletions of whole ranges. The store thread adds; any thread reads at a version. An entry is
 * never removed while a reader can see it; memtables are dropped as a whole.
 */
public final class Memtable {
  /** Estimated heap of a tree entry with one version, besides the bytes of key and value. */
  static final int OVERHEAD = 148;

  private static final int VERSION_OVERHEAD = 72;

  private final KeyTree keys = new KeyTree();
  private final ConcurrentSkipListSet<byte[]> expiry =
      new ConcurrentSkipListSet<>(Arrays::compareUnsigned);
  private volatile RangeDeletions deletions = RangeDeletions.NONE;
  private long bytes;

  /** Adds the state of a key after a commit. Versions must not decrease. */
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

  /** Reverts everything that was added after {@code version} under the given keys. */
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

  /**
   * Returns the newest state of a key at a version, or null if this memtable does not contain it.
   */
  public @Nullable VersionedValue get(byte[] key, long at) {
    return state(key, keys.get(key), at);
  }

  /** Returns the state at a version of a key whose newest version is given. */
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

  /** Returns the number of keys. */
  public int size() {
    return keys.size();
  }

  /** Returns the deletions of ranges. */
  public RangeDeletions deletions() {
    return deletions;
  }

  /**
   * Returns the {@link ExpiryKey}s of the newest versions, ascending. Some keys of deleted ranges
   * may be left, so callers must check the state.
   */
  public NavigableSet<byte[]> expiry() {
    return expiry;
  }

  /**
   * Returns the estimated heap of this memtable in bytes. Must be called on the thread that adds.
   */
  public long bytes() {
    return bytes;
  }
}
