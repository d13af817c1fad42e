package io.kvreactive.internal.store;

import io.kvreactive.KvValue;
import io.kvreactive.internal.store.memtable.ExpiryKey;
import io.kvreactive.internal.store.memtable.Memtable;
import io.kvreactive.internal.store.memtable.VersionedValue;
import io.kvreactive.spi.StoredChange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The expired entries of a state, found by its expiry indexes. Index entries of keys that have
 * another expiry by now, or none, are ignored.
 *
 * @param inMemory the scanned entries of the indexes in memory
 * @param expired the keys of all scanned entries that are still stored and expired
 * @param imageThrough the last scanned entry of the image's index, after which the next scan can
 *     start
 * @param nextAt the time of the next expiry, in milliseconds since 1970; 0 if more entries may be
 *     due now, Long.MAX_VALUE if there are none
 */
public record ExpiryScan(
    List<byte[]> inMemory, List<Expired> expired, byte[] imageThrough, long nextAt) {
  private static final int COMMIT_BYTES = 256 << 10;

  /** Maximum time of a commit of deletions, for which other commits wait. */
  private static final long COMMIT_NANOS = 200_000;

  /**
   * A key that has expired but is stored.
   *
   * @param version the commit that wrote it
   * @param value its value, if the log keeps old values
   */
  public record Expired(byte[] key, long version, @Nullable KvValue value) {}

  /**
   * Scans the indexes.
   *
   * @param view a state whose snapshot must be held until the last {@link #expire} has returned
   * @param imageAfter the entry of the image's index after which the scan starts
   * @param limit the maximum number of entries from each index
   * @param oldValues true to read the values
   */
  public static ExpiryScan of(StoreView view, byte[] imageAfter, int limit, boolean oldValues) {
    List<byte[]> due = new ArrayList<>();
    long next = take(view.active().expiry().iterator(), view.now(), limit, due);
    Memtable frozen = view.frozen();
    if (frozen != null) {
      next = Math.min(next, take(frozen.expiry().iterator(), view.now(), limit, due));
    }
    int inMemory = due.size();
    next = Math.min(next, take(view.image().expiry(imageAfter), view.now(), limit, due));
    byte[] through = due.size() == inMemory ? imageAfter : due.get(due.size() - 1);
    List<byte[]> entries = List.copyOf(due.subList(0, inMemory));
    return new ExpiryScan(entries, expired(view, due, oldValues), through, next);
  }

  private static long take(Iterator<byte[]> index, long now, int limit, List<byte[]> due) {
    for (int taken = 0; index.hasNext(); taken++) {
      byte[] entry = index.next();
      long expireAt = ExpiryKey.expireAt(entry);
      if (expireAt > now) {
        return expireAt;
      }
      if (taken == limit) {
        return 0;
      }
      due.add(entry);
    }
    return Long.MAX_VALUE;
  }

  private static List<Expired> expired(StoreView view, List<byte[]> due, boolean oldValues) {
    StoreView stored = view.at(0);
    List<Expired> expired = new ArrayList<>();
    Set<byte[]> seen = new TreeSet<>(Arrays::compareUnsigned);
    for (byte[] entry : due) {
      if (!seen.add(entry)) {
        continue; // set again with the same expiry, so that memory and the image have it
      }
      byte[] key = ExpiryKey.key(entry);
      VersionedValue state = stored.get(key);
      if (state != null && state.expireAt() == ExpiryKey.expireAt(entry)) {
        expired.add(new Expired(key, state.version(), oldValues ? state.value() : null));
      }
    }
    return expired;
  }

  /**
   * Adds the deletion of those keys that were not written since the scan, up to the size of a small
   * commit.
   *
   * @param state the newest state
   * @param from the index of the first key
   * @return the index of the first key that is left for another commit
   */
  int expire(StoreView state, int from, List<StoredChange> effects) {
    long end = System.nanoTime() + COMMIT_NANOS;
    int bytes = 0;
    int i = from;
    for (; i < expired.size() && bytes < COMMIT_BYTES; i++) {
      Expired one = expired.get(i);
      VersionedValue since = state.inMemory(one.key); // contains all commits after the scan
      if (since == null || since.version() == one.version) {
        effects.add(StoredChange.expire(one.key).after(one.version, one.value));
        bytes += one.key.length + (one.value == null ? 0 : one.value.bytes().length);
      }
      if (System.nanoTime() >= end) {
        i++;
        break;
      }
    }
    effects.sort((a, b) -> Arrays.compareUnsigned(a.key(), b.key()));
    return i;
  }
}
