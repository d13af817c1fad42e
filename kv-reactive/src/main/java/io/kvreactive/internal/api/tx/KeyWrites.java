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
 * The writes of a transaction to one key: a chain that begins, if possible, with a write that does
 * not depend on the stored value.
 *
 * @param before the earlier writes; null at the beginning
 * @param last the newest write
 * @param readsStore true if the result depends on the stored value
 */
record KeyWrites(@Nullable KeyWrites before, Mutation last, boolean readsStore) {
  /** Returns the writes with one more appended. */
  static KeyWrites after(@Nullable KeyWrites before, Mutation mutation) {
    if (mutation instanceof Mutation.Set || mutation instanceof Mutation.Delete) {
      return new KeyWrites(null, mutation, false);
    }
    return new KeyWrites(before, mutation, before == null || before.readsStore);
  }

  /**
   * Returns the entry after these writes, or null if absent.
   *
   * @param stored the stored entry, without a value if only keys are read
   * @param now the time in milliseconds since 1970
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

  /** Applies a write by the rules of the store. */
  private static @Nullable StoredEntry apply(Mutation change, @Nullable StoredEntry entry) {
    KvValue value = entry == null ? null : entry.value();
    return switch (change.kind()) {
      case SET -> {
        Mutation.Set set = (Mutation.Set) change;
        yield written(set.key(), set.value(), set.expireAt());
      }
      case TOUCH ->
          entry == null ? null : written(change.key(), value, ((Mutation.Touch) change).expireAt());
      case SUM, MIN, MAX -> written(change.key(), MergeOperators.apply(change, value), 0);
      case DELETE -> null;
      case DELETE_RANGE, SET_VERSIONSTAMPED ->
          throw new IllegalArgumentException(change.kind() + " (expected: a write to one key)");
    };
  }

  private static StoredEntry written(byte[] key, @Nullable KvValue value, long expireAt) {
    return new StoredEntry(key, value, Versionstamp.ZERO, expireAt);
  }
}
