package io.kvreactive.postgres.internal;

import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.KvValue.Encoding;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.CommitRules;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.KeyRanges;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangeCheck;
import io.kvreactive.spi.StoredChange;
import io.kvreactive.spi.StoredChange.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Turns a group of commits into rows by {@link CommitRules}, against the state that was read under
 * the lock of the head. A commit sees those before it in the group, and one that fails changes
 * nothing. Use once; not thread-safe.
 */
final class GroupEvaluator implements CommitRules.StoredKeys {
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
      return CommitRules.isExpired(expireAt, now);
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

  final long now;
  private final long horizon;
  private long version;
  final NavigableMap<byte[], Cell> loaded;
  private final KeyRanges truncated;
  private final Map<RangeCheck, Boolean> changedRanges;
  private final Map<String, Long> ids = new HashMap<>();

  /** The state of the keys that the group has changed. */
  final TreeMap<byte[], Cell> written = new TreeMap<>(Arrays::compareUnsigned);

  /** Changes that a check of a range must see. */
  private final TreeSet<byte[]> touched = new TreeSet<>(Arrays::compareUnsigned);

  final List<Change> changes = new ArrayList<>();

  /** The deleted ranges that are not expanded into their keys. */
  final KeyRanges deletedRanges = new KeyRanges();

  final List<Message> messages = new ArrayList<>();

  /** The versions of the commits of the group that are remembered by their ids. */
  final Map<String, Long> newIds = new LinkedHashMap<>();

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
      KeyRanges truncated,
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
    return !truncated.isEmpty()
        && commit.mutations().stream()
            .anyMatch(m -> m instanceof Mutation.DeleteRange && truncated.contains(m.key()));
  }

  /** Returns the error of values that are too large to be merged by one commit. */
  static KvException tooLarge() {
    return new KvException(
        KvErrorCode.LIMIT_EXCEEDED,
        "values to merge in one commit (expected: at most %d bytes)".formatted(MAX_MERGED_BYTES));
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
    String remembered = CommitRules.rememberedId(commit);
    CommitRules rules = new CommitRules(this, version + 1, now);
    for (Mutation mutation : commit.mutations()) {
      if (!sweep || base(mutation.key()).isExpired(now)) {
        rules.apply(mutation);
      }
    }
    if (remembered == null
        && commit.enqueues().isEmpty()
        && rules.ranges().isEmpty()
        && rules.changes().isEmpty()) {
      return CommitResult.committed(Versionstamp.of(version));
    }
    version++;
    addRows(rules);
    if (remembered != null) {
      ids.put(remembered, version);
      newIds.put(remembered, version);
    }
    for (int i = 0; i < commit.enqueues().size(); i++) {
      Enqueue enqueue = commit.enqueues().get(i);
      messages.add(new Message(version, i, enqueue, Math.max(now, enqueue.deliverAt())));
    }
    return CommitResult.committed(Versionstamp.of(version));
  }

  private List<Integer> failedChecks(Commit commit) {
    List<Integer> failed =
        new ArrayList<>(CommitRules.failedChecks(commit.checks(), this::presentVersion));
    for (int i = 0; i < commit.rangeChecks().size(); i++) {
      if (!holds(commit.rangeChecks().get(i))) {
        failed.add(commit.checks().size() + i);
      }
    }
    return failed;
  }

  private long presentVersion(byte[] key) {
    Cell cell = base(key);
    return cell.isPresent(now) ? cell.version : 0;
  }

  private boolean holds(RangeCheck check) {
    boolean empty = Arrays.compareUnsigned(check.start(), check.end()) >= 0;
    return !CommitRules.isExpired(check.validUntil(), now)
        && check.since().version() >= horizon
        && !changedRanges.containsKey(check)
        && (empty || touched.subSet(check.start(), check.end()).isEmpty());
  }

  /** Returns the state of a key before the commit that is being added. */
  private Cell base(byte[] key) {
    Cell cell = written.get(key);
    return cell != null ? cell : loaded.getOrDefault(key, ABSENT);
  }

  @Override
  public @Nullable KvValue value(byte[] key) {
    Cell cell = base(key);
    Encoding encoding = cell.encoding;
    if (!cell.isPresent(now) || encoding == null) {
      return null;
    }
    byte[] value = cell.value;
    if (value == null) {
      throw tooLarge();
    }
    return new KvValue(encoding, value);
  }

  /** Returns the change without the value, which stays in the table. */
  @Override
  public @Nullable StoredChange touch(byte[] key, long expireAt) {
    return base(key).isPresent(now) ? StoredChange.touch(key, null, expireAt) : null;
  }

  @Override
  public @Nullable List<byte[]> keys(List<KeyRanges.Range> ranges) {
    List<byte[]> keys = new ArrayList<>();
    for (KeyRanges.Range range : ranges) {
      if (truncated.contains(range.start())) {
        return null;
      }
      keys.addAll(loaded.subMap(range.start(), true, range.end(), false).keySet());
      keys.addAll(written.subMap(range.start(), range.end()).keySet());
    }
    keys.removeIf(key -> base(key).version == 0);
    return keys;
  }

  /** Adds the rows of the newest version. */
  private void addRows(CommitRules rules) {
    long n = 0;
    KeyRanges ranges = rules.ranges();
    for (Map.Entry<byte[], byte[]> range : ranges.asMap().entrySet()) {
      byte[] start = range.getKey();
      byte[] end = range.getValue();
      deletedRanges.add(start, end);
      changes.add(new Change(version, n++, start, end, Kind.DELETE_RANGE, 0, ABSENT, GIVEN));
      writtenBytes += CHANGE_BYTES + start.length + end.length;
    }
    for (StoredChange change : rules.changes().values()) {
      byte[] key = change.key();
      boolean inRange = ranges.contains(key);
      Cell before = inRange ? ABSENT : base(key);
      boolean deleted = change.kind() == Kind.DELETE;
      if (deleted && before.version == 0) {
        continue;
      }
      boolean expired = deleted && before.isExpired(now);
      Kind kind = expired ? Kind.EXPIRE : change.kind();
      short source = inRange ? GIVEN : source(key, before);
      changes.add(new Change(version, n++, key, null, kind, change.expireAt(), before, source));
      Cell after = deleted ? ABSENT : after(change, before);
      writtenBytes += CHANGE_BYTES + key.length + (after.value == null ? 0 : after.value.length);
      addedKeys += (deleted ? 0 : 1) - (before.version == 0 ? 0 : 1);
      if (!expired) {
        touched.add(key);
      }
      written.put(key, after);
    }
  }

  private Cell after(StoredChange change, Cell before) {
    KvValue value = change.value();
    return value == null
        ? new Cell(version, before.encoding, change.expireAt(), before.value, before.stored)
        : new Cell(version, value.encoding(), change.expireAt(), value.bytes(), false);
  }

  private short source(byte[] key, Cell before) {
    if (!written.containsKey(key)) {
      return STORED;
    }
    return before.stored ? VALUE_STORED : GIVEN;
  }
}
