package io.kvreactive.internal.store;

import io.kvreactive.internal.store.log.Committed;
import io.kvreactive.internal.store.log.Effect;
import io.kvreactive.internal.store.memtable.VersionedValue;
import io.kvreactive.spi.RangeCheck;
import java.util.Arrays;
import java.util.List;

/**
 * Whether a range has changed since it was read: looked up in the newest commits, as FoundationDB's
 * resolvers do; a check that reaches further back than those counts as a conflict.
 */
final class RangeConflicts {
  private final RecentCommits recent;

  RangeConflicts(RecentCommits recent) {
    this.recent = recent;
  }

  /**
   * @param staged commits that are newer than the recent ones
   */
  boolean holds(RangeCheck check, List<Committed> staged, long now) {
    if (VersionedValue.isExpired(check.validUntil(), now)) {
      return false;
    }
    long since = check.since().version();
    if (since < recent.from()) {
      return false;
    }
    for (Committed commit : recent.after(since)) {
      if (touches(commit, check)) {
        return false;
      }
    }
    for (Committed commit : staged) {
      if (commit.version() > since && touches(commit, check)) {
        return false;
      }
    }
    return true;
  }

  private static boolean touches(Committed commit, RangeCheck check) {
    byte[] start = SystemKeys.clamp(check.start());
    byte[] to = SystemKeys.clamp(check.end());
    for (Effect effect : commit.effects()) {
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

  /** Whether a reader could tell; what has expired is told by the check's own time. */
  private static boolean changes(Effect effect) {
    return switch (effect.kind()) {
      case EXPIRE -> false;
      case DELETE -> effect.oldVersion() != 0;
      default -> true;
    };
  }
}
