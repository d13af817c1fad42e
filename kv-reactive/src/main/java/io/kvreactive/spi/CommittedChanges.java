package io.kvreactive.spi;

import io.kvreactive.Versionstamp;
import java.util.List;

/**
 * What one commit changed in a range; or a bookmark, when there are no changes: everything up to
 * that version has been emitted.
 *
 * @param versionstamp of the commit
 * @param millis when it was committed, or the bookmark was made; milliseconds since 1970 by the
 *     engine's clock
 * @param changes deletions of ranges first, then at most one change per key, in key order
 */
public record CommittedChanges(Versionstamp versionstamp, long millis, List<StoredChange> changes) {
  public CommittedChanges {
    changes = List.copyOf(changes);
  }
}
