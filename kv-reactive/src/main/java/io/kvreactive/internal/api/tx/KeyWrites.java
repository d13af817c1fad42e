package io.kvreactive.internal.api.tx;

import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.value.MergeOperators;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction has done to one key: a chain that begins with a change that does not depend on
 * what is stored, if there is one.
 *
 * @param before what was done earlier; null at the beginning
 * @param last the newest change
 * @param readsStore true if what it comes to depends on what is stored
 */
record KeyWrites(@Nullable KeyWrites before, Mutation last, boolean readsStore) {
  /** These writes and one more. */
  static KeyWrites after(@Nullable KeyWrites before, Mutation mutation) {
    if (mutation instanceof Mutation.Set || mutation instanceof Mutation.Delete) {
      return new KeyWrites(null, mutation, false);
    }
    return new KeyWrites(before, mutation, before == null || before.readsStore);
  }

  /**
   * What the key is after these writes, or null if absent.
   *
   * @param stored what is stored; without a value when only the key is asked for
   * @param now the time, milliseconds since 1970
   * @throws io.kvreactive.KvException TYPE_MISMATCH, OUT_OF_RANGE
   */
  @Nullable StoredEntry applyTo(@Nullable StoredEntry stored, long now) {
    Deque<Mutation> changes = new ArrayDeque<>();
    for (KeyWrites writes = this; writes != null; writes = writes.before) {
      changes.push(writes.last);
    }
    StoredEntry entry = stored;
    for (Mutation change : changes) {
      entry = apply(change, entry);
      if (entry != null && entry.expireAt() != 0 && entry.expireAt() <= now) {
        entry = null;
      }
    }
    return entry;
  }

  /** By the same rules as the store's. */
  private static @Nullable StoredEntry apply(Mutation change, @Nullable StoredEntry entry) {
    KvValue value = entry == null ? null : entry.value();
    if (change instanceof Mutation.Set set) {
      return written(set.key(), set.value(), set.expireAt());
    } else if (change instanceof Mutation.Touch touch) {
      return entry == null ? null : written(touch.key(), value, touch.expireAt());
    } else if (change instanceof Mutation.Sum
        || change instanceof Mutation.Min
        || change instanceof Mutation.Max) {
      return written(change.key(), MergeOperators.apply(change, value), 0);
    }
    return null;
  }

  private static StoredEntry written(byte[] key, @Nullable KvValue value, long expireAt) {
    return new StoredEntry(key, value, Versionstamp.ZERO, expireAt);
  }
}
