package io.kvreactive;

import java.time.Instant;
import java.util.List;

/**
 * What one commit changed in a range; or a bookmark, which has no changes and says that everything
 * up to its versionstamp has been emitted.
 *
 * @param <T> type of the values
 * @param versionstamp of the commit: {@link Kv#changes} goes on from here
 * @param time when it was committed, or the bookmark was made, by the store's clock
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
