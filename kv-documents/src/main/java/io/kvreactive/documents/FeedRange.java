package io.kvreactive.documents;

import io.kvreactive.KvException;
import io.kvreactive.internal.shared.ArgumentChecks;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One of several ranges of equal size that the hashes of partition keys are divided into, so that
 * several consumers share a change feed. All items of a partition key are in the same range. In a
 * collection without a partition key, the ids of the items are divided.
 *
 * @param index the number of the range, from 0
 * @param count the number of ranges, 1 to {@value #MAX_COUNT}
 */
public record FeedRange(int index, int count) {
  /** The maximum number of ranges. */
  public static final int MAX_COUNT = 1024;

  private static final Pattern TEXT = Pattern.compile("(\\d{1,4})/(\\d{1,4})");

  /**
   * Creates a range.
   *
   * @throws KvException INVALID_ARGUMENT if a value is out of its range
   */
  public FeedRange {
    ArgumentChecks.between("count of ranges", count, 1, MAX_COUNT);
    ArgumentChecks.between("index of the range", index, 0, count - 1);
  }

  /**
   * Parses a range.
   *
   * @param text the index and the count, such as {@code 0/8}
   * @throws KvException INVALID_ARGUMENT
   */
  public static FeedRange parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      throw ArgumentChecks.invalid(
          "range",
          text.length() <= 40 ? text : text.substring(0, 40) + "…",
          "INDEX/COUNT, such as 0/8");
    }
    return new FeedRange(Integer.parseInt(parts.group(1)), Integer.parseInt(parts.group(2)));
  }

  /** Returns the text that {@link #parse} takes. */
  @Override
  public String toString() {
    return index + "/" + count;
  }
}
