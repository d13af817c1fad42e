package io.kvreactive.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one {@link ReadRange}.
 *
 * @param entries the entries in the order of the read
 * @param end why the page ends
 */
public record RangePage(List<StoredEntry> entries, End end) {
  /** Why a page ends. */
  public enum End {
    /** The range was read to its end. */
    RANGE,
    /** The page has the requested maximum number of entries. Others may follow. */
    LIMIT,
    /**
     * The page has the maximum size of one read: that of the request or that of the engine. Others
     * may follow.
     */
    SIZE
  }

  /**
   * Creates a page.
   *
   * @throws IllegalArgumentException if a page without entries does not end with its range
   */
  public RangePage {
    if (entries.isEmpty() && end != End.RANGE) {
      throw new IllegalArgumentException(
          "a page without entries: %s (expected: %s)".formatted(end, End.RANGE));
    }
  }

  /** Returns true if the range was read to its end. */
  public boolean isLast() {
    return end == End.RANGE;
  }

  /**
   * Returns the last key of the page, after which the rest starts (before it in a reverse read);
   * null if this page is the last one.
   */
  public byte @Nullable [] resumeAfter() {
    return isLast() ? null : entries.get(entries.size() - 1).key();
  }

  /**
   * Returns what is left to read of a range, with the same limit; null if this page is the last
   * one.
   *
   * @param range the range that this page answers
   */
  public @Nullable ReadRange rest(ReadRange range) {
    byte[] last = resumeAfter();
    return last == null ? null : range.after(last);
  }
}
