package example.engine;

import io.kvreactive.CommitResult;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.CommitRules;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.KeyRanges;
import io.kvreactive.spi.RangeCheck;
import io.kvreactive.spi.StoredChange;
import io.kvreactive.spi.StoredChange.Kind;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/** The newest state and the newest commits. One thread changes it, all threads read it. */
final class SortedMapStore {
  /** Number of commits that change feeds and range checks can go back. */
  private static final int KEPT_COMMITS = 100_000;

  /** Maximum number of keys of a deleted range that is reported as deletions of keys. */
  private static final int MAX_EXPANDED_KEYS = 256;

  /** Everything at one version. */
  record State(long version, @Nullable EntryTree tree) {}

  private final ConcurrentSkipListMap<Long, CommittedChanges> commits =
      new ConcurrentSkipListMap<>();
  private final Map<String, Long> ids = new HashMap<>(); // as long as the store is open
  private volatile State state = new State(0, null);
  private volatile long dropped; // newest version that is no longer among the commits
  private long nextExpiry = Long.MAX_VALUE; // at most the earliest expiry

  State state() {
    return state;
  }

  long nextExpiry() {
    return nextExpiry;
  }

  static boolean isExpired(StoredEntry entry, long now) {
    return CommitRules.isExpired(entry.expireAt(), now);
  }

  /**
   * Returns the first commit after a version, or null if there is none yet.
   *
   * @throws KvException COMPACTED
   */
  @Nullable CommittedChanges commitAfter(long version) {
    if (version < dropped) {
      throw KvException.compacted(Versionstamp.of(version), Versionstamp.of(dropped));
    }
    Map.Entry<Long, CommittedChanges> next = commits.higherEntry(version);
    return next == null || next.getKey() > state.version ? null : next.getValue();
  }

  /** Executes a commit. Error: TYPE_MISMATCH, OUT_OF_RANGE, LIMIT_EXCEEDED; nothing has changed. */
  CommitResult commit(Commit commit, long now) {
    Long known = commit.id() == null ? null : ids.get(commit.id());
    if (known != null) {
      return CommitResult.committed(Versionstamp.of(known));
    }
    Keys keys = new Keys(state.tree, now);
    List<Integer> failed =
        new ArrayList<>(CommitRules.failedChecks(commit.checks(), keys::version));
    for (int i = 0; i < commit.rangeChecks().size(); i++) {
      if (!holds(commit.rangeChecks().get(i), now)) {
        failed.add(commit.checks().size() + i);
      }
    }
    if (!failed.isEmpty()) {
      return CommitResult.conflict(failed);
    }
    long version = state.version + 1;
    CommitRules rules = new CommitRules(keys, version, now);
    commit.mutations().forEach(rules::apply);
    String id = CommitRules.rememberedId(commit);
    if (id == null && rules.ranges().isEmpty() && rules.changes().isEmpty()) {
      return CommitResult.committed(Versionstamp.of(state.version));
    }
    apply(keys, rules, now);
    if (id != null) {
      ids.put(id, version);
    }
    return CommitResult.committed(Versionstamp.of(version));
  }

  /** The keys before a commit. */
  private record Keys(@Nullable EntryTree tree, long now) implements CommitRules.StoredKeys {
    @Nullable StoredEntry present(byte[] key) {
      StoredEntry entry = EntryTree.get(tree, key);
      return entry == null || isExpired(entry, now) ? null : entry;
    }

    long version(byte[] key) {
      StoredEntry entry = present(key);
      return entry == null ? 0 : entry.versionstamp().version();
    }

    @Override
    public @Nullable KvValue value(byte[] key) {
      StoredEntry entry = present(key);
      return entry == null ? null : entry.value();
    }

    @Override
    public @Nullable StoredChange touch(byte[] key, long expireAt) {
      StoredEntry entry = present(key);
      return entry == null ? null : StoredChange.touch(key, entry.value(), expireAt);
    }

    @Override
    public @Nullable List<byte[]> keys(List<KeyRanges.Range> ranges) {
      List<byte[]> keys = new ArrayList<>();
      for (KeyRanges.Range range : ranges) {
        EntryTree.visit(
            tree,
            range.start(),
            range.end(),
            false,
            entry -> keys.add(entry.key()) && keys.size() <= MAX_EXPANDED_KEYS);
      }
      return keys.size() > MAX_EXPANDED_KEYS ? null : keys;
    }
  }

  private boolean holds(RangeCheck check, long now) {
    long since = check.since().version();
    return !CommitRules.isExpired(check.validUntil(), now)
        && since >= dropped
        && commits.tailMap(since, false).values().stream()
            .flatMap(commit -> commit.changes().stream())
            .noneMatch(change -> touches(change, check));
  }

  private static boolean touches(StoredChange change, RangeCheck check) {
    byte[] end = change.end();
    return change.kind() != Kind.EXPIRE // which the check knows
        && Arrays.compareUnsigned(change.key(), check.end()) < 0
        && (end == null
            ? Arrays.compareUnsigned(change.key(), check.start()) >= 0
            : Arrays.compareUnsigned(check.start(), end) < 0);
  }

  private void apply(Keys before, CommitRules rules, long now) {
    Versionstamp stamp = Versionstamp.of(state.version + 1);
    EntryTree tree = before.tree;
    List<StoredChange> changes = new ArrayList<>();
    for (Map.Entry<byte[], byte[]> range : rules.ranges().asMap().entrySet()) {
      tree = EntryTree.without(tree, range.getKey(), range.getValue());
      changes.add(StoredChange.deleteRange(range.getKey(), range.getValue()));
    }
    for (StoredChange change : rules.changes().values()) {
      byte[] key = change.key();
      StoredEntry old = EntryTree.get(tree, key); // after the deletions of ranges
      boolean isExpired = old != null && isExpired(old, now);
      if (change.kind() != Kind.DELETE) {
        tree = EntryTree.with(tree, new StoredEntry(key, change.value(), stamp, change.expireAt()));
        boolean isSet = change.kind() == Kind.SET;
        StoredChange reported = isSet ? change : StoredChange.touch(key, null, change.expireAt());
        changes.add(after(reported, isExpired ? null : old));
      } else if (old != null) {
        tree = EntryTree.without(tree, key);
        changes.add(after(isExpired ? StoredChange.expire(key) : change, old));
      }
    }
    publish(tree, changes, now);
  }

  private static StoredChange after(StoredChange change, @Nullable StoredEntry old) {
    return old == null
        ? change.after(0, null)
        : change.after(old.versionstamp().version(), old.value());
  }

  /** Removes the entries that have expired, in a commit of its own. */
  void removeExpired(long now) {
    List<StoredChange> changes = new ArrayList<>();
    EntryTree[] tree = {state.tree};
    long[] next = {Long.MAX_VALUE};
    EntryTree.visit(
        state.tree,
        new byte[0],
        new byte[] {-1},
        false,
        entry -> {
          if (isExpired(entry, now)) {
            tree[0] = EntryTree.without(tree[0], entry.key());
            changes.add(after(StoredChange.expire(entry.key()), entry));
          } else if (entry.expireAt() != 0) {
            next[0] = Math.min(next[0], entry.expireAt());
          }
          return true;
        });
    nextExpiry = next[0];
    if (!changes.isEmpty()) {
      publish(tree[0], changes, now);
    }
  }

  private void publish(@Nullable EntryTree tree, List<StoredChange> changes, long now) {
    long version = state.version + 1;
    for (StoredChange change : changes) {
      nextExpiry = change.expireAt() == 0 ? nextExpiry : Math.min(nextExpiry, change.expireAt());
    }
    commits.put(version, new CommittedChanges(Versionstamp.of(version), now, changes));
    state = new State(version, tree);
    if (version - dropped > KEPT_COMMITS) {
      dropped = version - KEPT_COMMITS; // first: a reader that is behind must notice
      commits.headMap(dropped, true).clear();
    }
  }
}
