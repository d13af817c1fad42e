package io.kvreactive;

import java.time.Instant;
import java.util.List;

/**
 * The changes of one commit in a range; or a bookmark, which has no changes and marks that
 * everything up to its versionstamp has been emitted.
 *
 * @param <T> type of the values
 * @param versionstamp the stamp of the commit, from which {@link Kv#changes} can continue
 * @param time the time of the commit, or of the bookmark, by the store's clock
 * @param changes deletions of ranges first, then at most one change per key, in key order
 */
public record KvCommit<T>(Versionstamp versionstamp, Instant time, List<KvChange<T>> changes) {
  public KvCommit {
    changes = List.copyOf(changes);
  }

  /** Returns true if there are no changes. */
  public boolean isBookmark() {
    return changes.isEmpty();
  }
}
