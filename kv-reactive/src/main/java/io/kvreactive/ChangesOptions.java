package io.kvreactive;

import java.time.Duration;

/**
 * Options of a change feed. Immutable; start from {@link #DEFAULT}.
 *
 * @param oldValues true if changes carry the previous values; requires a store opened with {@link
 *     KvOptions#withOldValues}. Earlier commits have none
 * @param bookmarkInterval the time without an element after which a feed that has progressed emits
 *     a bookmark; at least 1 ms
 */
public record ChangesOptions(boolean oldValues, Duration bookmarkInterval) {
  /** The default: no old values, a bookmark every 5 seconds. */
  public static final ChangesOptions DEFAULT = new ChangesOptions(false, Duration.ofSeconds(5));

  public ChangesOptions {
    if (bookmarkInterval.compareTo(Duration.ofMillis(1)) < 0) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "bookmarkInterval: " + bookmarkInterval + " (expected: at least 1 ms)");
    }
  }

  /** Returns these options with or without the previous values. */
  public ChangesOptions withOldValues(boolean oldValues) {
    return new ChangesOptions(oldValues, bookmarkInterval);
  }

  /** Returns these options with another interval of bookmarks, at least 1 ms. */
  public ChangesOptions withBookmarkInterval(Duration bookmarkInterval) {
    return new ChangesOptions(oldValues, bookmarkInterval);
  }
}
