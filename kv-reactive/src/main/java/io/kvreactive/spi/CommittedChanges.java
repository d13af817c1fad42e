package io.kvreactive.spi;

import io.kvreactive.Versionstamp;
import java.util.List;

/**
 * The changes of one commit in a range; or a bookmark, which has no changes and marks that
 * everything up to its version has been emitted.
 *
 * @param versionstamp the versionstamp of the commit
 * @param millis the time of the commit, or of the bookmark, in milliseconds since 1970 by the
 *     engine's clock
 * @param changes deletions of ranges first, then at most one change per key, in key order
 */
public record CommittedChanges(Versionstamp versionstamp, long millis, List<StoredChange> changes) {
  public CommittedChanges {
    changes = List.copyOf(changes);
  }
}
