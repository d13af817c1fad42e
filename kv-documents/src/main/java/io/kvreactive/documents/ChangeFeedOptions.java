package io.kvreactive.documents;

import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.shared.ArgumentChecks;
import org.immutables.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * Options of a change feed. Immutable; start from {@link #LATEST} or {@link #ALL}.
 *
 * @param mode the changes to emit
 * @param since the position after which changes are emitted: a versionstamp, such as an etag, or a
 *     {@link ChangePage#continuation}; {@link Versionstamp#ZERO} for all changes; null for changes
 *     after the call
 * @param partitionKey the partition of the items, or the first values of a partition key of several
 *     paths; null for all items
 * @param range the range of partition keys; null for all. Not together with {@code partitionKey}
 */
@Value.Builder
public record ChangeFeedOptions(
    Mode mode,
    @Nullable Versionstamp since,
    @Nullable PartitionKey partitionKey,
    @Nullable FeedRange range)
    implements WithChangeFeedOptions {

  /** The changes that a feed emits. */
  public enum Mode {
    /**
     * The latest version of each changed item, without deletes. Versions that were replaced or
     * deleted before the feed read them are left out. An item that changes later is emitted again.
     */
    LATEST,
    /**
     * Every version and every delete. Changes have the previous version of the item if the store
     * keeps previous values, as a store opened with {@code KvOptions.withOldValues(true)} does.
     */
    ALL
  }

  /** The latest versions, of all items, after the call. */
  public static final ChangeFeedOptions LATEST =
      new ChangeFeedOptionsBuilder().mode(Mode.LATEST).build();

  /** All versions and deletes, of all items, after the call. */
  public static final ChangeFeedOptions ALL = new ChangeFeedOptionsBuilder().mode(Mode.ALL).build();

  /**
   * Validates the options.
   *
   * @throws KvException INVALID_ARGUMENT for both a partition key and a range
   */
  public ChangeFeedOptions {
    if (partitionKey != null && range != null) {
      throw ArgumentChecks.invalid("range", range, "none with a partition key");
    }
  }

  /** Creates options without a range. */
  public ChangeFeedOptions(
      Mode mode, @Nullable Versionstamp since, @Nullable PartitionKey partitionKey) {
    this(mode, since, partitionKey, null);
  }
}
