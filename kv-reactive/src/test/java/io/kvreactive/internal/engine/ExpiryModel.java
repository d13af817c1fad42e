package io.kvreactive.internal.engine;

import io.kvreactive.KvKey;
import io.kvreactive.KvU64;
import io.kvreactive.Versionstamp;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/** A model of expiring keys: a sorted map that removes keys at their expiry. */
final class ExpiryModel {
  static final int KEYS = 7;

  /**
   * @param expireAt milliseconds since 1970; 0 for never
   */
  record Cell(KvU64 value, Versionstamp stamp, long expireAt) {}

  /** A change of one commit. */
  sealed interface Change {}

  record Set(int key, long value, long expireAt) implements Change {}

  record Touch(int key, long expireAt) implements Change {}

  record Delete(int key) implements Change {}

  record DeleteRange(int from, int to) implements Change {}

  record Sum(int key, long by) implements Change {}

  record Min(int key, long by) implements Change {}

  record Max(int key, long by) implements Change {}

  private NavigableMap<KvKey, Cell> present = new TreeMap<>();
  private final Map<KvKey, Versionstamp> gone = new TreeMap<>();

  static KvKey key(int number) {
    return KvKey.of("e", number);
  }

  /** Returns the keys that have not expired. */
  NavigableMap<KvKey, Cell> present() {
    return present;
  }

  /**
   * The versionstamp of the key before its expiry, or null if it had none. A commit that sets a key
   * twice, first with a past expiry, gives the key the same stamp again.
   */
  @Nullable Versionstamp gone(int key) {
    Versionstamp before = gone.get(key(key));
    return before == null || before.equals(stamp(key)) ? null : before;
  }

  @Nullable Versionstamp stamp(int key) {
    Cell cell = present.get(key(key));
    return cell == null ? null : cell.stamp;
  }

  /** Advances the time of the model. */
  void at(long now) {
    NavigableMap<KvKey, Cell> left = new TreeMap<>();
    present.forEach(
        (key, cell) -> {
          if (cell.expireAt == 0 || cell.expireAt > now) {
            left.put(key, cell);
          } else {
            gone.put(key, cell.stamp);
          }
        });
    present = left;
  }

  /** Applies the changes of a commit in sequence. */
  void commit(Iterable<Change> changes, Versionstamp stamp, long now) {
    for (Change change : changes) {
      apply(change, stamp);
      at(now); // a past time is an expiry
    }
  }

  private void apply(Change change, Versionstamp stamp) {
    if (change instanceof Set c) {
      present.put(key(c.key), new Cell(KvU64.wrapped(c.value), stamp, c.expireAt));
    } else if (change instanceof Touch c) {
      present.computeIfPresent(key(c.key), (key, cell) -> new Cell(cell.value, stamp, c.expireAt));
    } else if (change instanceof Delete c) {
      present.remove(key(c.key));
    } else if (change instanceof DeleteRange c) {
      present.subMap(key(c.from), true, key(c.to), false).clear();
    } else if (change instanceof Sum c) {
      merge(c.key, c.by, stamp, (a, b) -> KvU64.wrapped(a.bits() + b.bits()));
    } else if (change instanceof Min c) {
      merge(c.key, c.by, stamp, (a, b) -> a.compareTo(b) < 0 ? a : b);
    } else if (change instanceof Max c) {
      merge(c.key, c.by, stamp, (a, b) -> a.compareTo(b) > 0 ? a : b);
    }
  }

  /** Applies arithmetic: an absent key takes the operand, and the result does not expire. */
  private void merge(int key, long by, Versionstamp stamp, BinaryOperator<KvU64> function) {
    Cell before = present.get(key(key));
    KvU64 operand = KvU64.wrapped(by);
    KvU64 after = before == null ? operand : function.apply(before.value, operand);
    present.put(key(key), new Cell(after, stamp, 0));
  }
}
