package io.kvreactive.postgres.internal;

import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.KvValue;
import io.kvreactive.KvValue.Encoding;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangeCheck;
import io.kvreactive.spi.StoredChange.Kind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Turns a group of commits into rows, against the state that was read under the lock of the head. A
 * commit sees those before it in the group, and one that fails changes nothing. Use once; not
 * thread-safe.
 */
final class GroupEvaluator {
  private static final int SUFFIX_BYTES = KvLimits.VERSIONSTAMP_SUFFIX_BYTES;

  /** The bytes of a change in addition to its key and value, for the retention by size. */
  static final int CHANGE_BYTES = 64;

  /** Maximum size of the stored values that SUM, MIN and MAX of a group are applied to. */
  static final long MAX_MERGED_BYTES = 16 << 20;

  /** The state of a key that has no row. */
  private static final Cell ABSENT = new Cell(0, null, 0, null, false);

  /** The sources of the state of a key before a change. */
  private static final short GIVEN = 0;

  private static final short STORED = 1;
  private static final short VALUE_STORED = 2;

  /**
   * The state of a key.
   *
   * @param version 0 if there is no row
   * @param value null if it is only in the table
   * @param stored true if the value is that of the row in the table
   */
  record Cell(
      long version,
      @Nullable Encoding encoding,
      long expireAt,
      byte @Nullable [] value,
      boolean stored) {
    boolean isExpired(long now) {
      return expireAt != 0 && expireAt <= now;
    }

    boolean isPresent(long now) {
      return version != 0 && !isExpired(now);
    }
  }

  /** A row of the table of changes. */
  record Change(
      long version,
      long n,
      byte[] key,
      byte @Nullable [] end,
      Kind kind,
      long expireAt,
      Cell old,
      short stored) {}

  /** A row of the table of messages. */
  record Message(long version, int n, Enqueue enqueue, long readyAt) {}

  /** A commit id to remember. */
  record RememberedId(byte[] id, long version) {}

  /** A deleted range that is not expanded into its keys. */
  record Range(byte[] start, byte[] end) {}

  private record RowChange(Kind kind, Cell cell) {}

  final long now;
  private final long horizon;
  private long version;
  private final NavigableMap<byte[], Cell> loaded;
  private final List<Range> truncated;
  private final Map<RangeCheck, Boolean> changedRanges;
  private final Map<String, Long> ids = new HashMap<>();

  /** The state of the keys that the group has changed. */
  private final TreeMap<byte[], Cell> written = new TreeMap<>(Arrays::compareUnsigned);

  /** Changes that a check of a range must see. */
  private final TreeSet<byte[]> touched = new TreeSet<>(Arrays::compareUnsigned);

  final List<Change> changes = new ArrayList<>();
  final List<Range> deletedRanges = new ArrayList<>();
  final List<Message> messages = new ArrayList<>();
  final List<RememberedId> newIds = new ArrayList<>();
  long addedKeys;
  long writtenBytes;

  /**
   * @param version of the newest commit
   * @param horizon the version up to which changes are no longer known
   * @param now the time of these commits
   * @param loaded the rows of all keys and small ranges that the commits touch
   * @param truncated the ranges to delete that are too large to be loaded
   * @param ids the known commit ids and their versions
   * @param changedRanges the range checks that fail
   */
  GroupEvaluator(
      long version,
      long horizon,
      long now,
      NavigableMap<byte[], Cell> loaded,
      List<Range> truncated,
      Map<String, Long> ids,
      Map<RangeCheck, Boolean> changedRanges) {
    this.version = version;
    this.horizon = horizon;
    this.now = now;
    this.loaded = loaded;
    this.truncated = truncated;
    this.ids.putAll(ids);
    this.changedRanges = changedRanges;
  }

  /** Returns the version of the newest commit. */
  long version() {
    return version;
  }

  /** Returns true if a commit deletes a range that is not loaded: it must be alone in its group. */
  boolean isLarge(Commit commit) {
    for (Mutation mutation : commit.mutations()) {
      if (mutation instanceof Mutation.DeleteRange range && isTruncated(range.key(), range.end())) {
        return true;
      }
    }
    return false;
  }

  /** Returns the error of values that are too large to be merged by one commit. */
  static KvException tooLarge() {
    return new KvException(
        KvErrorCode.LIMIT_EXCEEDED,
        "values to merge in one commit (expected: at most %d bytes)".formatted(MAX_MERGED_BYTES));
  }

  private boolean isTruncated(byte[] start, byte[] end) {
    return truncated.stream()
        .anyMatch(
            range ->
                Arrays.compareUnsigned(start, range.end) < 0
                    && Arrays.compareUnsigned(range.start, end) < 0);
  }

  /**
   * Adds a commit.
   *
   * @param sweep true if deletions are of expired keys only
   * @throws KvException TYPE_MISMATCH, OUT_OF_RANGE, LIMIT_EXCEEDED; nothing has changed
   */
  CommitResult add(Commit commit, boolean sweep) {
    String id = commit.id();
    Long known = id == null ? null : ids.get(id);
    if (known != null) {
      return CommitResult.committed(Versionstamp.of(known));
    }
    List<Integer> failed = failedChecks(commit);
    if (!failed.isEmpty()) {
      return CommitResult.conflict(failed);
    }
    boolean remembered =
        id != null && !(commit.mutations().isEmpty() && commit.enqueues().isEmpty());
    Staging staging = new Staging(version + 1, sweep);
    commit.mutations().forEach(staging::apply);
    if (!remembered && staging.isEmpty() && commit.enqueues().isEmpty()) {
      return CommitResult.committed(Versionstamp.of(version));
    }
    version++;
    staging.publish();
    if (remembered && id != null) {
      ids.put(id, version);
      newIds.add(new RememberedId(id.getBytes(StandardCharsets.UTF_8), version));
    }
    for (int i = 0; i < commit.enqueues().size(); i++) {
      Enqueue enqueue = commit.enqueues().get(i);
      messages.add(new Message(version, i, enqueue, Math.max(now, enqueue.deliverAt())));
    }
    return CommitResult.committed(Versionstamp.of(version));
  }

  private List<Integer> failedChecks(Commit commit) {
    List<Integer> failed = new ArrayList<>();
    List<Check> checks = commit.checks();
    for (int i = 0; i < checks.size(); i++) {
      Versionstamp expected = checks.get(i).versionstamp();
      Cell current = base(checks.get(i).key());
      long actual = current.isPresent(now) ? current.version : 0;
      boolean holds =
          expected == null
              ? actual == 0
              : actual != 0 && expected.version() == actual && expected.order() == 0;
      if (!holds) {
        failed.add(i);
      }
    }
    for (int i = 0; i < commit.rangeChecks().size(); i++) {
      if (!holds(commit.rangeChecks().get(i))) {
        failed.add(checks.size() + i);
      }
    }
    return failed;
  }

  private boolean holds(RangeCheck check) {
    boolean empty = Arrays.compareUnsigned(check.start(), check.end()) >= 0;
    return (check.validUntil() == 0 || check.validUntil() > now)
        && check.since().version() >= horizon
        && !changedRanges.containsKey(check)
        && (empty || touched.subSet(check.start(), check.end()).isEmpty());
  }

  /** Returns the state of a key before the commit that is being added. */
  private Cell base(byte[] key) {
    Cell cell = written.get(key);
    return cell != null ? cell : loaded.getOrDefault(key, ABSENT);
  }

  /** The rows that the group leaves behind. */
  void forEachState(StateConsumer consumer) {
    written.forEach(
        (key, cell) -> {
          if (cell.version == 0) {
            if (loaded.containsKey(key)) {
              consumer.deleted(key);
            }
          } else if (cell.stored) {
            consumer.touched(key, cell);
          } else {
            consumer.set(key, cell);
          }
        });
  }

  /** Receives what becomes of the rows of keys. */
  interface StateConsumer {
    void set(byte[] key, Cell cell);

    void touched(byte[] key, Cell cell);

    void deleted(byte[] key);
  }

  /** A commit during its evaluation. */
  private final class Staging {
    private final long next;
    private final boolean sweep;
    private final TreeMap<byte[], RowChange> rowChanges = new TreeMap<>(Arrays::compareUnsigned);
    private final List<Range> ranges = new ArrayList<>();

    Staging(long next, boolean sweep) {
      this.next = next;
      this.sweep = sweep;
    }

    boolean isEmpty() {
      return rowChanges.isEmpty() && ranges.isEmpty();
    }

    void apply(Mutation mutation) {
      byte[] key = mutation.key();
      switch (mutation.kind()) {
        case SET -> {
          Mutation.Set set = (Mutation.Set) mutation;
          set(key, set.value(), set.expireAt());
        }
        case SET_VERSIONSTAMPED -> {
          Mutation.SetVersionstamped set = (Mutation.SetVersionstamped) mutation;
          set(suffixed(key), set.value(), set.expireAt());
        }
        case TOUCH -> touch(key, ((Mutation.Touch) mutation).expireAt());
        case DELETE -> delete(key);
        case DELETE_RANGE -> deleteRange(key, ((Mutation.DeleteRange) mutation).end());
        case SUM, MIN, MAX -> set(key, KvValue.merge(mutation, storedValue(key)), 0);
      }
    }

    private @Nullable KvValue storedValue(byte[] key) {
      Cell cell = current(key);
      byte[] value = cell.value;
      Encoding encoding = cell.encoding;
      if (!cell.isPresent(now) || encoding == null) {
        return null;
      }
      if (value == null) {
        throw tooLarge();
      }
      return new KvValue(encoding, value);
    }

    private Cell before(byte[] key) {
      return ranges.stream().anyMatch(range -> contains(range, key)) ? ABSENT : base(key);
    }

    private Cell current(byte[] key) {
      RowChange earlier = rowChanges.get(key);
      return earlier == null ? before(key) : earlier.cell;
    }

    private void set(byte[] key, KvValue value, long expireAt) {
      Cell cell = new Cell(next, value.encoding(), expireAt, value.bytes(), false);
      rowChanges.put(key, new RowChange(Kind.SET, cell));
    }

    private void touch(byte[] key, long expireAt) {
      Cell cell = current(key);
      if (cell.isPresent(now)) {
        RowChange earlier = rowChanges.get(key);
        Kind kind = earlier == null ? Kind.TOUCH : earlier.kind;
        Cell touched = new Cell(next, cell.encoding, expireAt, cell.value, cell.stored);
        rowChanges.put(key, new RowChange(kind, touched));
      }
    }

    private void delete(byte[] key) {
      if (!sweep || before(key).isExpired(now)) {
        rowChanges.put(key, new RowChange(Kind.DELETE, ABSENT));
      }
    }

    private void deleteRange(byte[] start, byte[] end) {
      if (Arrays.compareUnsigned(start, end) >= 0) {
        return;
      }
      if (isTruncated(start, end)) {
        rowChanges.subMap(start, end).clear();
        ranges.add(new Range(start, end));
        return;
      }
      List<byte[]> keys = new ArrayList<>(rowChanges.subMap(start, end).keySet());
      keys.addAll(loaded.subMap(start, true, end, false).keySet());
      keys.addAll(written.subMap(start, end).keySet());
      for (byte[] key : keys) {
        if (before(key).version == 0) {
          rowChanges.remove(key);
        } else {
          rowChanges.put(key, new RowChange(Kind.DELETE, ABSENT));
        }
      }
    }

    /** Returns the key with one more string part: the versionstamp as 20 hex digits. */
    private byte[] suffixed(byte[] key) {
      byte[] digits = Versionstamp.of(next).toString().getBytes(StandardCharsets.US_ASCII);
      byte[] suffixed = Arrays.copyOf(key, key.length + SUFFIX_BYTES);
      suffixed[key.length] = 0x02;
      System.arraycopy(digits, 0, suffixed, key.length + 1, digits.length);
      return suffixed;
    }

    void publish() {
      long n = 0;
      for (Range range : ranges) {
        deletedRanges.add(range);
        changes.add(
            new Change(next, n++, range.start, range.end, Kind.DELETE_RANGE, 0, ABSENT, GIVEN));
        writtenBytes += CHANGE_BYTES + range.start.length + range.end.length;
      }
      for (Map.Entry<byte[], RowChange> each : rowChanges.entrySet()) {
        byte[] key = each.getKey();
        RowChange rowChange = each.getValue();
        Cell before = before(key);
        boolean deleted = rowChange.kind == Kind.DELETE;
        if (deleted && before.version == 0) {
          continue;
        }
        Kind kind = deleted && before.isExpired(now) ? Kind.EXPIRE : rowChange.kind;
        changes.add(
            new Change(
                next, n++, key, null, kind, rowChange.cell.expireAt, before, whereIs(key, before)));
        byte[] value = rowChange.cell.value;
        writtenBytes += CHANGE_BYTES + key.length + (value == null ? 0 : value.length);
        addedKeys += (deleted ? 0 : 1) - (before.version == 0 ? 0 : 1);
        if (kind != Kind.EXPIRE) {
          touched.add(key);
        }
        written.put(key, rowChange.cell);
      }
    }

    private short whereIs(byte[] key, Cell before) {
      boolean inRange = ranges.stream().anyMatch(range -> contains(range, key));
      if (inRange || written.containsKey(key) && !before.stored) {
        return GIVEN;
      }
      return written.containsKey(key) ? VALUE_STORED : STORED;
    }
  }

  private static boolean contains(Range range, byte[] key) {
    return Arrays.compareUnsigned(range.start, key) <= 0
        && Arrays.compareUnsigned(key, range.end) < 0;
  }
}
