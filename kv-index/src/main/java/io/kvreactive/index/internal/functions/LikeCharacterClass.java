package io.kvreactive.index.internal.functions;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A character class of a LIKE pattern, as sorted ranges. Compact, and fast to test. */
final class LikeCharacterClass implements LikeSegment.Place {
  private record Range(char from, char to) {}

  private final boolean inverted;
  private final List<Range> ranges = new ArrayList<>();

  LikeCharacterClass(boolean inverted) {
    this.inverted = inverted;
  }

  /** Adds a range; a range whose {@code from} is after {@code to} is empty. */
  void add(char from, char to) {
    if (from <= to) {
      ranges.add(new Range(from, to));
    }
  }

  /** Sorts and merges the ranges. Must be called once, after the last {@link #add}. */
  LikeCharacterClass merged() {
    ranges.sort(Comparator.comparing(Range::from));
    int kept = 0;
    for (Range range : ranges) {
      Range last = kept == 0 ? null : ranges.get(kept - 1);
      if (last != null && range.from <= last.to) {
        ranges.set(kept - 1, new Range(last.from, (char) Math.max(last.to, range.to)));
      } else {
        ranges.set(kept++, range);
      }
    }
    ranges.subList(kept, ranges.size()).clear();
    return this;
  }

  @Override
  public boolean matches(char c) {
    int low = 0;
    int high = ranges.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      Range range = ranges.get(middle);
      if (c < range.from) {
        high = middle - 1;
      } else if (c > range.to) {
        low = middle + 1;
      } else {
        return !inverted;
      }
    }
    return inverted;
  }
}
