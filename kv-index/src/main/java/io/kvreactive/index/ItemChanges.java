package io.kvreactive.index;

import io.kvreactive.Versionstamp;
import java.time.Instant;
import java.util.List;

/**
 * The changes of one commit to a collection. Without changes, a bookmark: everything up to its
 * versionstamp has been emitted.
 *
 * @param versionstamp the versionstamp of the commit, from which a feed can resume
 * @param time the time of the commit
 */
public record ItemChanges<T>(Versionstamp versionstamp, Instant time, List<Change<T>> changes) {
  public ItemChanges {
    changes = List.copyOf(changes);
  }

  /** Returns true if there are no changes. */
  public boolean isBookmark() {
    return changes.isEmpty();
  }

  /** A change of one item. */
  public sealed interface Change<T> {
    /** An item that was created or replaced, in its new state. */
    record Upsert<T>(Item<T> item) implements Change<T> {}

    /** An item that was deleted, or removed after its expiry. */
    record Delete<T>(String id, PartitionKey partitionKey) implements Change<T> {}
  }
}
