package io.kvreactive;

/**
 * How to list a range. Immutable; start from {@link #DEFAULT}.
 *
 * @param limit entries in all, at least 1; {@link #UNLIMITED} for all there are
 * @param reverse true if to list from the end; which keys belong to the range does not change
 * @param batchSize entries of a page, at least 1; a page is read at once, at one version
 * @param cursor where an earlier list of the same range and direction ended ({@link
 *     KvRange#cursorAfter}); empty to start at the beginning
 * @param keysOnly true if values are left out, which spares reading and decoding them
 * @param consistency which versions pages are read at
 */
public record ListOptions(
    long limit,
    boolean reverse,
    int batchSize,
    String cursor,
    boolean keysOnly,
    Consistency consistency) {
  /** As many as there are. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  /** Everything, ascending, 500 entries a page, each page at the newest version. */
  public static final ListOptions DEFAULT =
      new ListOptions(UNLIMITED, false, 500, "", false, Consistency.PAGE);

  /** Which versions the pages of a list are read at. */
  public enum Consistency {
    /** Each page at the newest version: never too old, and a long list costs no memory. */
    PAGE,
    /**
     * All pages at the version of the first. The store keeps the history meanwhile; when that would
     * exceed its budget the list fails with SNAPSHOT_TOO_OLD.
     */
    SNAPSHOT
  }

  public ListOptions {
    if (limit < 1) {
      throw new KvException(KvErrorCode.INVALID_ARGUMENT, "limit: " + limit + " (expected: >= 1)");
    }
    if (batchSize < 1) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT, "batchSize: " + batchSize + " (expected: >= 1)");
    }
  }

  /** At most so many entries in all; at least 1. */
  public ListOptions withLimit(long limit) {
    return new ListOptions(limit, reverse, batchSize, cursor, keysOnly, consistency);
  }

  /** From the end, or from the start. */
  public ListOptions withReverse(boolean reverse) {
    return new ListOptions(limit, reverse, batchSize, cursor, keysOnly, consistency);
  }

  /** So many entries a page; at least 1 and at most {@link KvLimits#maxBatchSize}. */
  public ListOptions withBatchSize(int batchSize) {
    return new ListOptions(limit, reverse, batchSize, cursor, keysOnly, consistency);
  }

  /** Goes on behind an earlier list or page of the same range and direction. */
  public ListOptions withCursor(String cursor) {
    return new ListOptions(limit, reverse, batchSize, cursor, keysOnly, consistency);
  }

  /** Without values. */
  public ListOptions withKeysOnly(boolean keysOnly) {
    return new ListOptions(limit, reverse, batchSize, cursor, keysOnly, consistency);
  }

  /** Reads pages at these versions. */
  public ListOptions withConsistency(Consistency consistency) {
    return new ListOptions(limit, reverse, batchSize, cursor, keysOnly, consistency);
  }
}
