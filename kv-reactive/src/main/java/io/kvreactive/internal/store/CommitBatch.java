package io.kvreactive.internal.store;

import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.shared.SteadyClock;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.internal.store.memtable.Memtable;
import io.kvreactive.internal.store.memtable.VersionedValue;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.CommitRules;
import io.kvreactive.spi.RangeCheck;
import io.kvreactive.spi.StoredChange;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * The next batch of commits to be published. Evaluates each commit in the state after the earlier
 * ones. Adds it to the log's batch and to the active memtable, where readers do not see it yet.
 * Confined to the store thread.
 */
final class CommitBatch {
  private final StoreOptions options;
  private final StoreLog log;
  private final MemtableSet memtables;
  private final StoreHealth health;
  private final SteadyClock clock;
  private final RangeConflicts rangeConflicts;
  private final long first; // first version of this process

  private StoreView latest;
  private final CheckedVersions checked = new CheckedVersions();
  private final List<CommitRecord> staged = new ArrayList<>();
  private long last;
  private long bytesBefore;

  /**
   * Creates an empty batch.
   *
   * @param recent the newest published commits
   * @param next the version of the next commit
   */
  CommitBatch(
      StoreOptions options,
      StoreLog log,
      MemtableSet memtables,
      RecentCommits recent,
      StoreHealth health,
      SteadyClock clock,
      long next) {
    this.options = options;
    this.log = log;
    this.memtables = memtables;
    this.health = health;
    this.clock = clock;
    this.rangeConflicts = new RangeConflicts(recent);
    this.latest = memtables.latest();
    this.first = next;
    this.last = next - 1;
  }

  /** Returns the newest state, including all staged commits. */
  StoreView latest() {
    return latest;
  }

  /** Returns true if nothing is staged. */
  boolean isEmpty() {
    return staged.isEmpty();
  }

  /** Returns the version of the first commit of the batch, which must not be empty. */
  long first() {
    return staged.get(0).version();
  }

  /**
   * Returns the version of the last staged commit, or the last version that is already assigned.
   */
  long last() {
    return last;
  }

  /** Adds a commit. See {@link Store#stage(Commit)}. */
  CommitResult stage(Commit commit) {
    health.checkWritable();
    StoreView state = latest.at(clock.millis());
    String id = commit.id();
    if (id != null) {
      long first = state.versionOf(SystemKeys.commitId(id));
      if (first != 0) {
        return CommitResult.committed(Versionstamp.of(first));
      }
    }
    List<Integer> failed = CommitRules.failedChecks(commit.checks(), key -> checked.of(key, state));
    failed = failedRanges(commit, failed, state.now());
    if (!failed.isEmpty()) {
      return CommitResult.conflict(failed);
    }
    long version = last + 1;
    long idExpireAt = state.now() + options.idMillis();
    List<StoredChange> effects =
        CommitEvaluator.effects(state, commit, version, options.oldValues(), idExpireAt);
    // its state is that of the last version, so it is answered with the batch
    if (effects.isEmpty()) {
      return CommitResult.committed(Versionstamp.of(last));
    }
    stage(effects, version);
    return CommitResult.committed(Versionstamp.of(version));
  }

  private List<Integer> failedRanges(Commit commit, List<Integer> failedKeys, long now) {
    if (commit.rangeChecks().isEmpty()) {
      return failedKeys;
    }
    List<Integer> failed = new ArrayList<>(failedKeys);
    List<RangeCheck> checks = commit.rangeChecks();
    Set<Integer> changed = new HashSet<>(rangeConflicts.failed(checks, staged, now));
    for (int i = 0; i < checks.size(); i++) {
      if (changed.contains(i) || isLost(checks.get(i))) {
        failed.add(commit.checks().size() + i);
      }
    }
    return failed;
  }

  /** Returns true if a range was read in a history that was lost in a crash. */
  private boolean isLost(RangeCheck check) {
    long since = check.since().version();
    return Long.compareUnsigned(since, last) > 0 || memtables.recovered() < since && since < first;
  }

  /** Adds an internal commit of the store. See {@link Store#stage(BiFunction)}. */
  void stage(BiFunction<StoreView, Long, List<StoredChange>> evaluation) {
    health.checkWritable();
    long version = last + 1;
    List<StoredChange> effects = evaluation.apply(latest.at(clock.millis()), version);
    if (!effects.isEmpty()) {
      stage(effects, version);
    }
  }

  /** Adds the deletion of expired entries. See {@link Store#stageExpired}. */
  int stageExpired(StoreSnapshot held, ExpiryScan scan, int from) {
    int[] left = {from};
    var unused = held.enter();
    try {
      stage(
          (state, version) -> {
            List<StoredChange> effects = new ArrayList<>();
            left[0] = scan.expire(state, from, effects);
            return effects;
          });
    } finally {
      held.leave();
    }
    return left[0];
  }

  private void stage(List<StoredChange> effects, long version) {
    if (staged.isEmpty()) {
      bytesBefore = latest.active().bytes();
    }
    try {
      add(effects, version);
    } catch (RuntimeException | Error e) { // partly staged: no commit may follow
      KvException defect = new KvException(KvErrorCode.INTERNAL, "staging failed: " + e, e);
      health.fail(defect);
      throw defect;
    }
    last = version;
    staged.add(new CommitRecord(version, 0, effects));
  }

  private void add(List<StoredChange> effects, long version) {
    log.add(effects);
    Memtable active = latest.active();
    long keepFrom = memtables.oldestNeeded();
    for (StoredChange effect : effects) {
      if (effect.end() != null) {
        active.deleteRange(effect.key(), effect.end(), version, keepFrom);
      } else {
        active.put(effect.key(), VersionedValue.of(effect, version), keepFrom);
      }
    }
  }

  /**
   * Returns the staged commits in order, with the time of their commit. They stay in the batch
   * until {@link #published}.
   */
  List<CommitRecord> committed(long millis) {
    return staged.stream().map(c -> new CommitRecord(c.version(), millis, c.effects())).toList();
  }

  /** Starts the next batch after this one has become visible. */
  void published() {
    staged.clear();
  }

  /**
   * Discards the batch, which has had no effect.
   *
   * @param visible the last published version
   */
  void rollback(long visible) {
    List<byte[]> keys =
        staged.stream().flatMap(c -> c.effects().stream()).map(StoredChange::key).toList();
    latest.active().rollback(keys, visible, bytesBefore);
    last = staged.isEmpty() ? last : first() - 1;
    staged.clear();
  }

  /** Refreshes the view after the memtables or the image have changed. */
  void refreshView() {
    latest = memtables.latest();
    checked.clear();
  }
}
