package io.kvreactive.internal.api.tx;

import io.kvreactive.spi.KeyRanges;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The writes of a transaction, in order for its commit and by key for its own reads. */
final class WriteBuffer {
  private final List<Mutation> mutations = new ArrayList<>();
  private final TreeMap<byte[], KeyWrites> keys = new TreeMap<>(Arrays::compareUnsigned);
  private final KeyRanges deleted = new KeyRanges();

  void add(Mutation mutation) {
    mutations.add(mutation);
    byte[] key = mutation.key();
    switch (mutation.kind()) {
      case SET, TOUCH, DELETE, SUM, MIN, MAX -> keys.put(key, KeyWrites.after(of(key), mutation));
      case SET_VERSIONSTAMPED -> {} // its key is not known yet
      case DELETE_RANGE -> {
        byte[] end = ((Mutation.DeleteRange) mutation).end();
        if (Arrays.compareUnsigned(key, end) < 0) {
          deleted.add(key, end);
          keys.subMap(key, true, end, false).clear();
        }
      }
    }
  }

  /** Returns the writes to a key, or null for none. */
  @Nullable KeyWrites of(byte[] key) {
    KeyWrites writes = keys.get(key);
    return writes == null && deleted.contains(key)
        ? KeyWrites.after(null, new Mutation.Delete(key))
        : writes;
  }

  List<Mutation> mutations() {
    return mutations;
  }

  /** Returns a copy of the writes to a range. */
  Over over(byte[] start, byte[] end) {
    return Arrays.compareUnsigned(start, end) >= 0 || keys.isEmpty() && deleted.isEmpty()
        ? new Over(new TreeMap<>(Arrays::compareUnsigned), new KeyRanges())
        : new Over(new TreeMap<>(keys.subMap(start, true, end, false)), new KeyRanges(deleted));
  }

  /**
   * The writes to a range at one time.
   *
   * @param keys the writes to single keys
   * @param deleted the ranges that were deleted before these writes
   */
  record Over(NavigableMap<byte[], KeyWrites> keys, KeyRanges deleted) {
    /**
     * Returns the keys of a part of the range, stored and written ones, in the order of the read.
     *
     * @param stored the stored entries of the part, in the same order
     */
    List<Merged> merge(byte[] start, byte[] end, List<StoredEntry> stored, boolean reverse) {
      NavigableMap<byte[], KeyWrites> written =
          keys.isEmpty() ? keys : keys.subMap(start, true, end, false);
      List<Merged> merged = new ArrayList<>(stored.size() + written.size());
      if (written.isEmpty()) {
        for (StoredEntry entry : stored) {
          if (!deleted.contains(entry.key())) {
            merged.add(new Merged(entry.key(), entry, null));
          }
        }
        return merged;
      }
      TreeMap<byte[], Merged> byKey = new TreeMap<>(Arrays::compareUnsigned);
      for (StoredEntry entry : stored) {
        if (!deleted.contains(entry.key())) {
          byKey.put(entry.key(), new Merged(entry.key(), entry, null));
        }
      }
      for (Map.Entry<byte[], KeyWrites> writes : written.entrySet()) {
        Merged under = byKey.get(writes.getKey());
        StoredEntry entry = under == null ? null : under.stored();
        byKey.put(writes.getKey(), new Merged(writes.getKey(), entry, writes.getValue()));
      }
      merged.addAll((reverse ? byKey.descendingMap() : byKey).values());
      return merged;
    }
  }

  /**
   * A key that is stored, written, or both.
   *
   * @param stored the stored entry, or null
   * @param writes the writes, or null
   */
  record Merged(byte[] key, @Nullable StoredEntry stored, @Nullable KeyWrites writes) {
    /** Returns the resulting entry, or null if absent. */
    @Nullable StoredEntry entry(long now) {
      return writes == null ? stored : writes.applyTo(stored, now);
    }

    /** Returns the expiry of the stored entry if the result depends on it; 0 for none. */
    long validUntil() {
      return stored == null || writes != null && !writes.readsStore() ? 0 : stored.expireAt();
    }
  }
}
