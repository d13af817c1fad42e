package io.kvreactive.internal.store;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.key.KeyRanges;
import io.kvreactive.internal.store.memtable.VersionedValue;
import io.kvreactive.internal.value.MergeOperators;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.StoredChange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates a commit: converts its mutations to effects, in a state that it does not change. So a
 * commit that fails half-way has no effect. For one commit.
 */
final class CommitEvaluator {
  private static final KvValue EMPTY = new KvValue(KvValue.Encoding.BYTES, new byte[0]);

  /** Old version of an effect for which it need not be looked up, until the effect is complete. */
  private static final long UNASKED = -1;

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
  private final long version;
  private final boolean oldValues;

  /** The newest effect on each key that was written since a range with it was deleted. */
  private final TreeMap<byte[], StoredChange> effects = new TreeMap<>(Arrays::compareUnsigned);

  /** Keys whose newest effect is a number, decoded, so that k changes cost k additions. */
  private final TreeMap<byte[], Object> numbers = new TreeMap<>(Arrays::compareUnsigned);

  /** All ranges deleted so far, which are not searched again. */
  private final KeyRanges deleted = new KeyRanges();

  /** The deleted ranges that stay ranges. */
  private final KeyRanges ranges = new KeyRanges();

  /** The stored keys of the deleted ranges that are converted. */
  private final TreeSet<byte[]> expanded = new TreeSet<>(Arrays::compareUnsigned);

  private int expandedLeft = EXPANDED_KEYS;
  private long storedBytes;

  private CommitEvaluator(StoreView state, long version, boolean oldValues) {
    this.state = state;
    this.version = version;
    this.oldValues = oldValues;
  }

  /** Returns the indexes of the checks that fail. */
  static List<Integer> failedChecks(StoreView state, CheckedVersions versions, List<Check> checks) {
    List<Integer> failed = List.of();
    for (int i = 0; i < checks.size(); i++) {
      Check check = checks.get(i);
      long current = versions.of(check.key(), state);
      Versionstamp expected = check.versionstamp();
      boolean holds =
          expected == null
              ? current == 0
              : current != 0 && expected.version() == current && expected.order() == 0;
      if (!holds) {
        failed = failed.isEmpty() ? new ArrayList<>() : failed;
        failed.add(i);
      }
    }
    return failed;
  }

  /**
   * Returns the effects of a commit at {@code version}. The id of a commit without mutations and
   * messages is not stored, since repeating such a commit has no effect.
   *
   * @param oldValues true if effects include old values
   * @param idExpireAt the time until which the commit's id is remembered
   * @throws KvException TYPE_MISMATCH, OUT_OF_RANGE or LIMIT_EXCEEDED; nothing is changed
   */
  static List<StoredChange> effects(
      StoreView state, Commit commit, long version, boolean oldValues, long idExpireAt) {
    CommitEvaluator evaluator = new CommitEvaluator(state, version, oldValues);
    List<Mutation> mutations = commit.mutations();
    String id = commit.id();
    if (commit.enqueues().isEmpty() && id == null && independent(mutations)) {
      return evaluator.each(mutations); // needs no lookup among earlier mutations
    }
    mutations.forEach(evaluator::apply);
    evaluator.enqueue(commit.enqueues());
    if (id != null && !(mutations.isEmpty() && commit.enqueues().isEmpty())) {
      evaluator.put(StoredChange.set(SystemKeys.commitId(id), EMPTY, idExpireAt));
    }
    return evaluator.all();
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

  private static StoredChange effect(Mutation.Set set) {
    StoredChange effect = StoredChange.set(set.key(), set.value(), set.expireAt());
    return set.blind() ? effect.after(UNASKED, null) : effect;
  }

  /** Returns the effects of changes to queues. */
  static List<StoredChange> queueEffects(
      StoreView state, long version, boolean oldValues, Consumer<QueueMutations> change) {
    CommitEvaluator evaluator = new CommitEvaluator(state, version, oldValues);
    change.accept(new QueueMutations(state, evaluator.effects));
    return evaluator.all();
  }

  private void enqueue(List<Enqueue> enqueues) {
    QueueMutations queues = new QueueMutations(state, effects);
    for (int i = 0; i < enqueues.size(); i++) {
      queues.enqueue(enqueues.get(i), new MessageId(version, i));
    }
  }

  private List<StoredChange> all() {
    numbers.forEach(
        (key, number) -> effects.put(key, StoredChange.set(key, MergeOperators.encode(number), 0)));
    expanded.forEach(key -> effects.putIfAbsent(key, StoredChange.delete(key)));
    List<StoredChange> all = new ArrayList<>(ranges.size() + effects.size());
    ranges.asMap().forEach((start, end) -> all.add(StoredChange.deleteRange(start, end)));
    for (StoredChange effect : effects.values()) {
      all.add(after(effect));
    }
    return all;
  }

  /** Returns the effect with its old version, which internal records do not need. */
  private StoredChange after(StoredChange effect) {
    if (effect.oldVersion() == UNASKED) {
      return effect.after(0, null);
    }
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

  private void apply(Mutation mutation) {
    byte[] key = mutation.key();
    switch (mutation.kind()) {
      case SET -> put(effect((Mutation.Set) mutation));
      case SET_VERSIONSTAMPED -> {
        Mutation.SetVersionstamped set = (Mutation.SetVersionstamped) mutation;
        put(StoredChange.set(suffixed(key), set.value(), set.expireAt()));
      }
      case TOUCH -> touch(key, ((Mutation.Touch) mutation).expireAt());
      case DELETE -> put(StoredChange.delete(key));
      case DELETE_RANGE -> deleteRange(key, ((Mutation.DeleteRange) mutation).end());
      case SUM, MIN, MAX -> change(mutation);
    }
  }

  private void put(StoredChange effect) {
    if (!numbers.isEmpty()) {
      numbers.remove(effect.key());
    }
    effects.put(effect.key(), effect);
  }

  /** Applies a sum, min or max. */
  private void change(Mutation mutation) {
    byte[] key = mutation.key();
    Object number = numbers.get(key);
    if (number == null) {
      KvValue current = current(key);
      number = current == null ? null : MergeOperators.decode(mutation, current);
    }
    numbers.put(key, MergeOperators.change(mutation, number));
  }

  private void touch(byte[] key, long expireAt) {
    StoredChange earlier = effects.get(key);
    KvValue value = current(key);
    if (value == null) {
      return;
    }
    boolean written =
        numbers.containsKey(key) || earlier != null && earlier.kind() == StoredChange.Kind.SET;
    if (!written && earlier == null) {
      take(value);
    }
    put(
        written
            ? StoredChange.set(key, value, expireAt)
            : StoredChange.touch(key, value, expireAt));
  }

  /** Appends a string part of 20 hex digits to a key, as Deno KV's commitVersionstamp. */
  private byte[] suffixed(byte[] key) {
    byte[] digits = Versionstamp.of(version).toString().getBytes(StandardCharsets.US_ASCII);
    byte[] suffixed = Arrays.copyOf(key, key.length + digits.length + 2);
    suffixed[key.length] = 0x02;
    System.arraycopy(digits, 0, suffixed, key.length + 1, digits.length);
    return suffixed;
  }

  private @Nullable KvValue current(byte[] key) {
    Object number = numbers.get(key);
    if (number != null) {
      return MergeOperators.encode(number);
    }
    StoredChange earlier = effects.get(key);
    if (earlier != null) {
      return VersionedValue.isExpired(earlier.expireAt(), state.now()) ? null : earlier.value();
    }
    if (deleted.contains(key)) {
      return null;
    }
    VersionedValue stored = state.get(key);
    return stored == null ? null : stored.value();
  }

  /**
   * Deletes a range. Each stored key is looked up at most once per commit, and each earlier effect
   * is dropped at most once. So the covered keys and mutations bound the cost of many ranges.
   */
  private void deleteRange(byte[] start, byte[] to) {
    byte[] end = SystemKeys.clamp(to);
    if (Arrays.compareUnsigned(start, end) >= 0) {
      return;
    }
    List<byte[]> stored = storedKeys(deleted.missing(start, end));
    if (stored == null) {
      ranges.add(start, end);
      expanded.subSet(start, true, end, false).clear();
    } else {
      expanded.addAll(stored);
      expandedLeft -= stored.size();
    }
    dropWritten(effects.subMap(start, true, end, false).keySet(), stored == null);
    dropWritten(numbers.subMap(start, true, end, false).keySet(), stored == null);
    deleted.add(start, end);
  }

  /** Drops earlier effects; those on stored keys outside of deleted ranges become deletions. */
  private void dropWritten(Set<byte[]> written, boolean inRange) {
    if (!inRange) {
      StoreView withExpired = state.at(0);
      for (byte[] key : written) {
        if (!ranges.contains(key) && withExpired.versionOf(key) != 0) {
          expanded.add(key);
        }
      }
    }
    written.clear();
  }

  /**
   * Returns the stored keys of some ranges, including expired ones.
   *
   * @return null if there are too many, so that the ranges must be deleted as ranges
   */
  private @Nullable List<byte[]> storedKeys(List<KeyRanges.Range> parts) {
    StoreView withExpired = state.at(0);
    List<byte[]> keys = new ArrayList<>();
    int most = Math.min(EXPANDED_RANGE, expandedLeft);
    long steps = RANGE_STEPS;
    for (KeyRanges.Range part : parts) {
      ViewCursor cursor = withExpired.range(part.start(), part.end(), steps);
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
    return keys;
  }
}
