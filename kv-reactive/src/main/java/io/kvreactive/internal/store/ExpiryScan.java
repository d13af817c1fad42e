package io.kvreactive.internal.store;

import io.kvreactive.KvValue;
import io.kvreactive.internal.store.log.AppliedMutation;
import io.kvreactive.internal.store.memtable.ExpiryKey;
import io.kvreactive.internal.store.memtable.Memtable;
import io.kvreactive.internal.store.memtable.VersionedValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What has expired in a state, found by its expiry indexes. An index may also name keys that have
 * another expiry by now, or none; those are left out.
 *
 * @param inMemory the entries of the indexes in memory that were looked at
 * @param expired what of that is still stored
 * @param imageThrough the last entry of the image's index that was looked at: the next scan can
 *     start behind it
 * @param nextAt when the next entry is due, milliseconds since 1970; 0 when there may be more that
 *     are due now, Long.MAX_VALUE when there is none
 */
public record ExpiryScan(
    List<byte[]> inMemory, List<Expired> expired, byte[] imageThrough, long nextAt) {
  private static final int COMMIT_BYTES = 256 << 10;

  /** Bounds what a commit of deletions keeps others waiting. */
  private static final long COMMIT_NANOS = 200_000;

  /**
   * A key that has expired but is stored.
   *
   * @param version the commit that wrote it
   * @param value what it had, where the log is to keep that
   */
  public record Expired(byte[] key, long version, @Nullable KvValue value) {}

  /**
   * Looks into the indexes.
   *
   * @param view a state; its snapshot must be held until all of {@link #expire} is done
   * @param imageAfter where to start in the image's index
   * @param limit most entries from each index
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
        continue; // set again with the same time, so memory and the image have it
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
   * Adds the deletion of those keys that nobody has written since the scan, up to as many as make a
   * small commit.
   *
   * @param state the newest
   * @param from the first to look at
   * @return the first that is left for another commit
   */
  int expire(StoreView state, int from, List<AppliedMutation> effects) {
    long end = System.nanoTime() + COMMIT_NANOS;
    int bytes = 0;
    int i = from;
    for (; i < expired.size() && bytes < COMMIT_BYTES; i++) {
      Expired one = expired.get(i);
      VersionedValue since = state.inMemory(one.key); // where all is that came after the scan
      if (since == null || since.version() == one.version) {
        effects.add(AppliedMutation.expire(one.key).after(one.version, one.value));
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
