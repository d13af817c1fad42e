package io.kvreactive.internal.api.tx;

import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.CommitRules;
import io.kvreactive.spi.KeyRanges;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.StoredChange;
import io.kvreactive.spi.StoredChange.Kind;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
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
    Deque<Mutation> mutations = new ArrayDeque<>();
    for (KeyWrites writes = this; writes != null; writes = writes.before) {
      mutations.push(writes.last);
    }
    CommitRules rules = new CommitRules(new StoredKey(stored), 0, now);
    mutations.forEach(rules::apply);
    StoredChange change = rules.changes().get(last.key());
    if (change == null) {
      return stored;
    }
    return change.kind() == Kind.DELETE || CommitRules.isExpired(change.expireAt(), now)
        ? null
        : new StoredEntry(change.key(), change.value(), Versionstamp.ZERO, change.expireAt());
  }

  /** The one key that a write reads. */
  private record StoredKey(@Nullable StoredEntry entry) implements CommitRules.StoredKeys {
    @Override
    public @Nullable KvValue value(byte[] key) {
      return entry == null ? null : entry.value();
    }

    @Override
    public @Nullable StoredChange touch(byte[] key, long expireAt) {
      return entry == null ? null : StoredChange.touch(key, entry.value(), expireAt);
    }

    @Override
    public @Nullable List<byte[]> keys(List<KeyRanges.Range> ranges) {
      throw new IllegalArgumentException("deletion of a range (expected: a write to one key)");
    }
  }
}
