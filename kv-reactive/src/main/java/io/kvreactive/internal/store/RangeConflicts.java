package io.kvreactive.internal.store;

import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.internal.store.memtable.RangeDeletion;
import io.kvreactive.internal.store.memtable.RangeDeletions;
import io.kvreactive.internal.store.memtable.VersionedValue;
import io.kvreactive.spi.RangeCheck;
import io.kvreactive.spi.StoredChange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Decides whether ranges have changed since they were read. Searches the newest commits, as
 * FoundationDB's resolvers do. A check that reaches further back than those fails.
 */
final class RangeConflicts {
  /**
   * Number of checks above which the changes are sorted first, instead of scanning them for each
   * check.
   */
  private static final int MAX_SCANS = 16;

  private final RecentCommits recent;

  RangeConflicts(RecentCommits recent) {
    this.recent = recent;
  }

  /**
   * Returns the indexes of the checks that fail.
   *
   * @param staged commits that are newer than the recent ones
   */
  List<Integer> failed(List<RangeCheck> checks, List<CommitRecord> staged, long now) {
    ChangedRanges changed = checks.size() > MAX_SCANS ? changed(checks, staged) : null;
    List<Integer> failed = new ArrayList<>();
    for (int i = 0; i < checks.size(); i++) {
      RangeCheck check = checks.get(i);
      long since = check.since().version();
      boolean holds =
          !VersionedValue.isExpired(check.validUntil(), now)
              && since >= recent.from()
              && (changed == null
                  ? isUnchanged(check, staged)
                  : changed.newest(SystemKeys.clamp(check.start()), SystemKeys.clamp(check.end()))
                      <= since);
      if (!holds) {
        failed.add(i);
      }
    }
    return failed;
  }

  private boolean isUnchanged(RangeCheck check, List<CommitRecord> staged) {
    long since = check.since().version();
    for (CommitRecord commit : recent.after(since)) {
      if (touches(commit, check)) {
        return false;
      }
    }
    for (CommitRecord commit : staged) {
      if (commit.version() > since && touches(commit, check)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the sorted changes since the oldest of the checks. */
  private ChangedRanges changed(List<RangeCheck> checks, List<CommitRecord> staged) {
    long oldest = Long.MAX_VALUE;
    for (RangeCheck check : checks) {
      oldest = Math.min(oldest, check.since().version());
    }
    RangeDeletions changes = RangeDeletions.NONE;
    for (CommitRecord commit : recent.after(Math.max(oldest, recent.from()))) {
      changes = with(changes, commit);
    }
    for (CommitRecord commit : staged) {
      changes = with(changes, commit);
    }
    return new ChangedRanges(changes.disjoint());
  }

  private static RangeDeletions with(RangeDeletions changes, CommitRecord commit) {
    RangeDeletions more = changes;
    for (StoredChange effect : commit.effects()) {
      byte[] end = effect.end();
      if (end != null || changes(effect)) {
        byte[] key = effect.key();
        byte[] to = end == null ? Arrays.copyOf(key, key.length + 1) : end;
        more = more.with(new RangeDeletion(key, to, commit.version()), Long.MAX_VALUE);
      }
    }
    return more;
  }

  /** Disjoint changed ranges, ascending, with the newest version of each run of ranges. */
  private static final class ChangedRanges {
    private final List<RangeDeletion> ranges;
    private final long[] newest; // a segment tree

    ChangedRanges(List<RangeDeletion> ranges) {
      this.ranges = ranges;
      int size = ranges.size();
      newest = new long[2 * size];
      for (int i = 0; i < size; i++) {
        newest[size + i] = ranges.get(i).version();
      }
      for (int i = size - 1; i > 0; i--) {
        newest[i] = Math.max(newest[2 * i], newest[2 * i + 1]);
      }
    }

    /** Returns the version of the newest change of a range; 0 if there is none. */
    long newest(byte[] start, byte[] end) {
      if (Arrays.compareUnsigned(start, end) >= 0) {
        return 0;
      }
      long version = 0;
      int size = ranges.size();
      int from = first(i -> Arrays.compareUnsigned(ranges.get(i).end(), start) > 0) + size;
      int to = first(i -> Arrays.compareUnsigned(ranges.get(i).start(), end) >= 0) + size;
      for (; from < to; from >>= 1, to >>= 1) {
        if ((from & 1) == 1) {
          version = Math.max(version, newest[from++]);
        }
        if ((to & 1) == 1) {
          version = Math.max(version, newest[--to]);
        }
      }
      return version;
    }

    private int first(IntPredicate isBehind) {
      int low = 0;
      int high = ranges.size();
      while (low < high) {
        int middle = low + high >>> 1;
        if (isBehind.test(middle)) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    }
  }

  private static boolean touches(CommitRecord commit, RangeCheck check) {
    byte[] start = SystemKeys.clamp(check.start());
    byte[] to = SystemKeys.clamp(check.end());
    for (StoredChange effect : commit.effects()) {
      byte[] end = effect.end();
      boolean hit =
          end == null
              ? changes(effect) && SystemKeys.within(effect.key(), start, to)
              : Arrays.compareUnsigned(effect.key(), to) < 0
                  && Arrays.compareUnsigned(start, end) < 0;
      if (hit) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns true if readers see the change. The removal of expired keys is covered by the expiry of
   * the check.
   */
  private static boolean changes(StoredChange effect) {
    return switch (effect.kind()) {
      case EXPIRE -> false;
      case DELETE -> effect.oldVersion() != 0;
      default -> true;
    };
  }
}
