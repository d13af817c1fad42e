package io.kvreactive.index;

import io.kvreactive.Versionstamp;
import java.time.Instant;
import java.util.List;

/**
 * What one commit changed in a collection; without changes it is a bookmark, which says that
 * everything up to its versionstamp has been emitted.
 *
 * @param versionstamp of the commit: a feed goes on from here
 * @param time when it was committed
 */
public record ItemChanges<T>(Versionstamp versionstamp, Instant time, List<Change<T>> changes) {
  public ItemChanges {
    changes = List.copyOf(changes);
  }

  /** Whether there are no changes. */
  public boolean isBookmark() {
    return changes.isEmpty();
  }

  /** What happened to one item. */
  public sealed interface Change<T> {
    /** It was created or replaced, and is this now. */
    record Upsert<T>(Item<T> item) implements Change<T> {}

    /** It is gone: deleted, or removed after it had expired. */
    record Delete<T>(String id, PartitionKey partitionKey) implements Change<T> {}
  }
}
