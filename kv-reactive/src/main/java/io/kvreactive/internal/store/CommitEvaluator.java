package io.kvreactive.internal.store;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.internal.store.memtable.VersionedValue;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.CommitRules;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.KeyRanges;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.StoredChange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates a commit by {@link CommitRules} in a state of the store, which it does not change, and
 * adds the old versions to its effects. For one commit.
 */
final class CommitEvaluator implements CommitRules.StoredKeys {
  private static final KvValue EMPTY = new KvValue(KvValue.Encoding.BYTES, new byte[0]);

  /** Maximum number of keys of a deleted range that is converted to deletions of keys. */
  private static final int EXPANDED_RANGE = 256;

  /** Maximum number of keys to which the deleted ranges of one commit are converted. */
  private static final int EXPANDED_KEYS = 4096;

  /** Maximum number of steps of the search for the keys of a range, including deleted keys. */
  private static final int RANGE_STEPS = 4 * EXPANDED_RANGE;

  /**
   * Maximum bytes of stored values that a commit copies: those of touched keys, and old values if
   * the store keeps them. As many as a commit may contain by default.
   */
  private static final long MAX_STORED_BYTES = 64 << 20;

  private final StoreView state;
  private final boolean oldValues;
  private int expandedLeft = EXPANDED_KEYS;
  private long storedBytes;

  private CommitEvaluator(StoreView state, boolean oldValues) {
    this.state = state;
    this.oldValues = oldValues;
  }

  /**
   * Returns the effects of a commit at {@code version}.
   *
   * @param oldValues true if effects include old values
   * @param idExpireAt the time until which the commit's id is remembered
   * @throws KvException TYPE_MISMATCH, OUT_OF_RANGE or LIMIT_EXCEEDED; nothing is changed
   */
  static List<StoredChange> effects(
      StoreView state, Commit commit, long version, boolean oldValues, long idExpireAt) {
    CommitEvaluator evaluator = new CommitEvaluator(state, oldValues);
    List<Mutation> mutations = commit.mutations();
    List<Enqueue> enqueues = commit.enqueues();
    String id = CommitRules.rememberedId(commit);
    if (enqueues.isEmpty() && id == null && independent(mutations)) {
      return evaluator.each(mutations); // needs no lookup among earlier mutations
    }
    CommitRules rules = new CommitRules(evaluator, version, state.now());
    mutations.forEach(rules::apply);
    Map<byte[], StoredChange> changes = rules.changes();
    QueueMutations queues = new QueueMutations(state, changes);
    for (int i = 0; i < enqueues.size(); i++) {
      queues.enqueue(enqueues.get(i), new MessageId(version, i));
    }
    if (id != null) {
      byte[] key = SystemKeys.commitId(id);
      changes.put(key, StoredChange.set(key, EMPTY, idExpireAt));
    }
    return evaluator.all(rules.ranges(), changes);
  }

  /** Returns true if all mutations set or delete a key, in strictly ascending order of keys. */
  private static boolean independent(List<Mutation> mutations) {
    byte[] last = null;
    for (Mutation mutation : mutations) {
      boolean plain = mutation instanceof Mutation.Set || mutation instanceof Mutation.Delete;
      byte[] key = mutation.key();
      if (!plain || last != null && Arrays.compareUnsigned(last, key) >= 0) {
        return false;
      }
      last = key;
    }
    return true;
  }

  private List<StoredChange> each(List<Mutation> mutations) {
    List<StoredChange> all = new ArrayList<>(mutations.size());
    for (Mutation mutation : mutations) {
      if (mutation instanceof Mutation.Set set) {
        StoredChange effect = StoredChange.set(set.key(), set.value(), set.expireAt());
        all.add(set.blind() ? effect : after(effect));
      } else {
        all.add(after(StoredChange.delete(mutation.key())));
      }
    }
    return all;
  }

  /** Returns the effects of changes to queues. */
  static List<StoredChange> queueEffects(
      StoreView state, boolean oldValues, Consumer<QueueMutations> change) {
    Map<byte[], StoredChange> changes = new TreeMap<>(Arrays::compareUnsigned);
    change.accept(new QueueMutations(state, changes));
    return new CommitEvaluator(state, oldValues).all(new KeyRanges(), changes);
  }

  private List<StoredChange> all(KeyRanges ranges, Map<byte[], StoredChange> changes) {
    List<StoredChange> all = new ArrayList<>(ranges.size() + changes.size());
    ranges
        .asMap()
        .forEach(
            (start, end) -> {
              byte[] clamped = SystemKeys.clamp(end);
              if (Arrays.compareUnsigned(start, clamped) < 0) {
                all.add(StoredChange.deleteRange(start, clamped));
              }
            });
    for (StoredChange change : changes.values()) {
      all.add(change.oldVersion() == CommitRules.UNASKED ? change.after(0, null) : after(change));
    }
    return all;
  }

  /** Returns the effect with its old version, which internal records do not need. */
  private StoredChange after(StoredChange effect) {
    if (SystemKeys.isSystem(effect.key())) {
      return effect;
    }
    StoredChange known = after(effect, state);
    if (known.oldVersion() == 0 && effect.kind() == StoredChange.Kind.DELETE) {
      // followers of the changes still have a key that has expired and was not removed
      StoredChange expired = after(StoredChange.expire(effect.key()), state.at(0));
      return expired.oldVersion() == 0 ? known : expired;
    }
    return known;
  }

  private StoredChange after(StoredChange effect, StoreView state) {
    if (oldValues) {
      VersionedValue old = state.get(effect.key());
      if (old == null) {
        return effect;
      }
      take(old.value());
      return effect.after(old.version(), old.value());
    }
    long old = state.versionOf(effect.key());
    return old == 0 ? effect : effect.after(old, null);
  }

  private void take(@Nullable KvValue stored) {
    storedBytes += stored == null ? 0 : stored.bytes().length;
    if (storedBytes > MAX_STORED_BYTES) {
      throw new KvException(
          KvErrorCode.LIMIT_EXCEEDED,
          "stored values that a commit touches or replaces: %d bytes (expected: at most %d)"
              .formatted(storedBytes, MAX_STORED_BYTES));
    }
  }

  @Override
  public @Nullable KvValue value(byte[] key) {
    VersionedValue current = state.get(key);
    return current == null ? null : current.value();
  }

  @Override
  public @Nullable StoredChange touch(byte[] key, long expireAt) {
    KvValue value = value(key);
    take(value);
    return value == null ? null : StoredChange.touch(key, value, expireAt);
  }

  @Override
  public @Nullable List<byte[]> keys(List<KeyRanges.Range> ranges) {
    StoreView withExpired = state.at(0);
    List<byte[]> keys = new ArrayList<>();
    int most = Math.min(EXPANDED_RANGE, expandedLeft);
    long steps = RANGE_STEPS;
    for (KeyRanges.Range range : ranges) {
      ViewCursor cursor = withExpired.range(range.start(), SystemKeys.clamp(range.end()), steps);
      while (cursor.next()) {
        if (keys.size() == most) {
          return null;
        }
        keys.add(cursor.key());
      }
      steps -= cursor.steps();
      if (steps <= 0) {
        return null;
      }
    }
    expandedLeft -= keys.size();
    return keys;
  }
}
