package io.kvreactive;

import io.kvreactive.internal.shared.ArgumentChecks;
import org.immutables.value.Value;

/**
 * Options of listing a range. Immutable; start from {@link #DEFAULT}.
 *
 * @param limit the maximum number of entries, at least 1; {@link #UNLIMITED} for all
 * @param reverse true to list from the end; which keys belong to the range does not change
 * @param batchSize the number of entries per page, at least 1 and at most {@link
 *     KvLimits#maxBatchSize}; a page is read at one version
 * @param cursor the position at which an earlier list or page of the same range and direction ended
 *     ({@link KvRange#cursorAfter}); empty to start at the beginning
 * @param keysOnly true to omit the values, which are then neither read nor decoded
 * @param consistency the versions at which pages are read
 */
@Value.Builder
public record ListOptions(
    long limit,
    boolean reverse,
    int batchSize,
    String cursor,
    boolean keysOnly,
    Consistency consistency)
    implements WithListOptions {
  /** The limit that stands for all entries. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  /** The default: all entries, ascending, 500 entries per page, each page at the newest version. */
  public static final ListOptions DEFAULT =
      new ListOptions(UNLIMITED, false, 500, "", false, Consistency.PAGE);

  /** The versions at which the pages of a list are read. */
  public enum Consistency {
    /** Each page is read at the newest version: never too old, and a long list costs no memory. */
    PAGE,
    /**
     * All pages are read at the version of the first. The store keeps the history meanwhile; the
     * list fails with SNAPSHOT_TOO_OLD if the history exceeds its budget.
     */
    SNAPSHOT
  }

  public ListOptions {
    ArgumentChecks.atLeast("limit", limit, 1);
    ArgumentChecks.atLeast("batchSize", batchSize, 1);
  }
}
