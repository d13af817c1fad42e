package io.kvreactive;

import java.time.Duration;

/**
 * How to follow changes. Immutable; start from {@link #DEFAULT}.
 *
 * @param oldValues true if changes carry the values before; only where the store was opened with
 *     {@link KvOptions#withOldValues}. Commits from before that have none
 * @param bookmarkInterval after how long without an element a bookmark tells how far the feed has
 *     come, if it has; at least 1 ms
 */
public record ChangesOptions(boolean oldValues, Duration bookmarkInterval) {
  /** No old values, a bookmark every 5 seconds. */
  public static final ChangesOptions DEFAULT = new ChangesOptions(false, Duration.ofSeconds(5));

  public ChangesOptions {
    if (bookmarkInterval.compareTo(Duration.ofMillis(1)) < 0) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "bookmarkInterval: " + bookmarkInterval + " (expected: at least 1 ms)");
    }
  }

  /** With the values before, or without. */
  public ChangesOptions withOldValues(boolean oldValues) {
    return new ChangesOptions(oldValues, bookmarkInterval);
  }

  /** Returns a bookmark after so long without an element; at least 1 ms. */
  public ChangesOptions withBookmarkInterval(Duration bookmarkInterval) {
    return new ChangesOptions(oldValues, bookmarkInterval);
  }
}
