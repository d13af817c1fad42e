package io.kvreactive.documents;

import io.kvreactive.Versionstamp;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
    /** Returns the id of the item. */
    String id();

    /**
     * Returns the version of the item before the change; null if the item did not exist, if the
     * store does not keep previous values, or if the feed does not emit them.
     */
    @Nullable Item<T> previous();

    /** An item that was created or replaced, in its new state. */
    record Upsert<T>(Item<T> item, @Nullable Item<T> previous) implements Change<T> {
      /** Creates a change without a previous version. */
      public Upsert(Item<T> item) {
        this(item, null);
      }

      @Override
      public String id() {
        return item.id();
      }
    }

    /**
     * An item that was deleted, or removed after its expiry.
     *
     * @param isExpired true if the item had expired; always false for removals by builds before
     *     this member existed
     */
    record Delete<T>(
        String id, PartitionKey partitionKey, @Nullable Item<T> previous, boolean isExpired)
        implements Change<T> {
      /** Creates the change of an item that had not expired, without a previous version. */
      public Delete(String id, PartitionKey partitionKey) {
        this(id, partitionKey, null, false);
      }
    }
  }
}
