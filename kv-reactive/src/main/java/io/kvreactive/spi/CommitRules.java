package io.kvreactive.spi;

import io.kvreactive.KvLimits;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The rules of commits, for all engines: converts mutations to changes of keys, each in the state
 * after those before it. The engine supplies the state before the commit, which stays as it is. So
 * a commit that fails half-way has no effect. A transaction reads its own writes by the same rules.
 *
 * <p>An engine checks the commit id, {@link #failedChecks} and the range checks. If none fails, it
 * {@linkplain #apply applies} all mutations and writes {@link #ranges} first, then {@link
 * #changes}. If both are empty and there is no {@link #rememberedId}, the commit takes no
 * versionstamp.
 *
 * <p>For one commit; not thread-safe.
 */
public final class CommitRules {
  /** The old version of a change by a blind set, for which no old version need be looked up. */
  public static final long UNASKED = -1;

  /** The keys as they are before a commit. */
  public interface StoredKeys {
    /** Returns the value of a key for a sum, min or max; null if the key is absent. */
    @Nullable KvValue value(byte[] key);

    /** Returns the change by a touch of a key, of kind TOUCH; null if the key is absent. */
    @Nullable StoredChange touch(byte[] key, long expireAt);

    /**
     * Returns the keys of some ranges, including expired ones. Their deletion is then a change of
     * each key.
     *
     * @return null if there are too many, so that the ranges must be deleted as ranges. The engines
     *     of this project have at most 256 in a range
     */
    @Nullable List<byte[]> keys(List<KeyRanges.Range> ranges);
  }

  private final StoredKeys stored;
  private final long version;
  private final long now;

  /** The newest change of each key that was written since a range with it was deleted. */
  private final TreeMap<byte[], StoredChange> changes = new TreeMap<>(Arrays::compareUnsigned);

  /** Keys whose newest change is a number, decoded, so that k changes cost k additions. */
  private final TreeMap<byte[], Object> numbers = new TreeMap<>(Arrays::compareUnsigned);

  /** All ranges deleted so far, which are not searched again. */
  private final KeyRanges deleted = new KeyRanges();

  /** The deleted ranges that stay ranges. */
  private final KeyRanges ranges = new KeyRanges();

  /** The stored keys of the deleted ranges that are converted to deletions of keys. */
  private final TreeSet<byte[]> expanded = new TreeSet<>(Arrays::compareUnsigned);

  /**
   * Creates the rules for one commit.
   *
   * @param version the version of the commit
   * @param now the time of the commit in milliseconds since 1970
   */
  public CommitRules(StoredKeys stored, long version, long now) {
    this.stored = stored;
    this.version = version;
    this.now = now;
  }

  /** Returns true if an expiry has passed. */
  public static boolean isExpired(long expireAt, long now) {
    return expireAt != 0 && expireAt <= now;
  }

  /**
   * Returns the indexes of the checks that fail.
   *
   * @param versions returns the version of a key; 0 if the key is absent
   */
  public static List<Integer> failedChecks(List<Check> checks, ToLongFunction<byte[]> versions) {
    List<Integer> failed = List.of();
    for (int i = 0; i < checks.size(); i++) {
      Check check = checks.get(i);
      long current = versions.applyAsLong(check.key());
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
   * Returns the id by which a commit is remembered, or null. The id of a commit without mutations
   * and messages is not, since repeating such a commit has no effect.
   */
  public static @Nullable String rememberedId(Commit commit) {
    return commit.mutations().isEmpty() && commit.enqueues().isEmpty() ? null : commit.id();
  }

  /**
   * Applies the next mutation.
   *
   * @throws io.kvreactive.KvException TYPE_MISMATCH, OUT_OF_RANGE or LIMIT_EXCEEDED; the commit
   *     must be given up
   */
  public void apply(Mutation mutation) {
    byte[] key = mutation.key();
    switch (mutation.kind()) {
      case SET -> {
        Mutation.Set set = (Mutation.Set) mutation;
        StoredChange change = StoredChange.set(key, set.value(), set.expireAt());
        put(set.blind() ? change.after(UNASKED, null) : change);
      }
      case SET_VERSIONSTAMPED -> {
        Mutation.SetVersionstamped set = (Mutation.SetVersionstamped) mutation;
        put(StoredChange.set(suffixed(key), set.value(), set.expireAt()));
      }
      case TOUCH -> touch(key, ((Mutation.Touch) mutation).expireAt());
      case DELETE -> delete(key);
      case DELETE_RANGE -> deleteRange(key, ((Mutation.DeleteRange) mutation).end());
      case SUM, MIN, MAX -> merge(mutation);
    }
  }

  /** Returns the deleted ranges that stay ranges. Their stored keys are not listed. */
  public KeyRanges ranges() {
    return ranges;
  }

  /**
   * Returns the changes of keys, which follow the deletions of ranges: no deletion of a key in
   * {@link #ranges} is among them. They have no old versions, except for {@link #UNASKED}. When all
   * mutations are applied, an engine may add its own changes.
   */
  public NavigableMap<byte[], StoredChange> changes() {
    numbers.forEach((key, number) -> changes.put(key, set(key, number)));
    numbers.clear();
    expanded.forEach(key -> changes.putIfAbsent(key, StoredChange.delete(key)));
    expanded.clear();
    return changes;
  }

  private static StoredChange set(byte[] key, Object number) {
    return StoredChange.set(key, MergeOperators.encode(number), 0);
  }

  private void put(StoredChange change) {
    if (!numbers.isEmpty()) {
      numbers.remove(change.key());
    }
    changes.put(change.key(), change);
  }

  private void delete(byte[] key) {
    if (ranges.contains(key)) { // deleted already, which followers of the changes know
      numbers.remove(key);
      changes.remove(key);
    } else {
      put(StoredChange.delete(key));
    }
  }

  /** Returns the newest change of a key, or null if the commit has not changed it. */
  private @Nullable StoredChange newest(byte[] key) {
    Object number = numbers.get(key);
    if (number != null) {
      return set(key, number);
    }
    StoredChange change = changes.get(key);
    return change == null && deleted.contains(key) ? StoredChange.delete(key) : change;
  }

  private boolean leavesKey(StoredChange change) {
    return change.kind() != StoredChange.Kind.DELETE && !isExpired(change.expireAt(), now);
  }

  private void touch(byte[] key, long expireAt) {
    StoredChange earlier = newest(key);
    if (earlier == null) {
      StoredChange change = stored.touch(key, expireAt);
      if (change != null) {
        put(change);
      }
    } else if (leavesKey(earlier)) {
      put(new StoredChange(earlier.kind(), key, null, earlier.value(), expireAt, 0, null));
    }
  }

  /** Applies a sum, min or max. */
  private void merge(Mutation mutation) {
    byte[] key = mutation.key();
    Object number = numbers.get(key);
    if (number == null) {
      KvValue value = value(key);
      number = value == null ? null : MergeOperators.decode(mutation, value);
    }
    numbers.put(key, MergeOperators.change(mutation, number));
  }

  private @Nullable KvValue value(byte[] key) {
    StoredChange earlier = newest(key);
    if (earlier != null && !leavesKey(earlier)) {
      return null;
    }
    return earlier == null || earlier.kind() == StoredChange.Kind.TOUCH
        ? stored.value(key)
        : earlier.value();
  }

  /** Appends a string part of 20 hex digits to a key, as Deno KV's commitVersionstamp. */
  private byte[] suffixed(byte[] key) {
    byte[] digits = Versionstamp.of(version).toString().getBytes(StandardCharsets.US_ASCII);
    byte[] suffixed = Arrays.copyOf(key, key.length + KvLimits.VERSIONSTAMP_SUFFIX_BYTES);
    suffixed[key.length] = 0x02;
    System.arraycopy(digits, 0, suffixed, key.length + 1, digits.length);
    return suffixed;
  }

  /**
   * Deletes a range. Each stored key is looked up at most once per commit, and each earlier change
   * is dropped at most once. So the covered keys and mutations bound the cost of many ranges.
   */
  private void deleteRange(byte[] start, byte[] end) {
    if (Arrays.compareUnsigned(start, end) >= 0) {
      return;
    }
    List<byte[]> keys = stored.keys(deleted.missing(start, end));
    if (keys == null) {
      ranges.add(start, end);
      expanded.subSet(start, true, end, false).clear();
    } else {
      expanded.addAll(keys);
    }
    changes.subMap(start, true, end, false).clear();
    numbers.subMap(start, true, end, false).clear();
    deleted.add(start, end);
  }
}
