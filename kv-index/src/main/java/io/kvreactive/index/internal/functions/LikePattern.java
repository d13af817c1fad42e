package io.kvreactive.index.internal.functions;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A compiled LIKE pattern. {@code %} matches any run of characters, {@code _} one character, {@code
 * [a-f]} one of a class, and {@code [^a-f]} one outside of a class. Matching is case-sensitive.
 * Characters are UTF-16 code units, as for LENGTH.
 *
 * <p>In a class, a {@code ]} that comes first and a {@code -} that comes first or last stand for
 * themselves. A range that runs backwards is empty. A {@code [} that is never closed stands for
 * itself. The character after the escape character stands for itself.
 *
 * <p>Matching never backtracks over {@code %}: the segment between two of them is searched once,
 * from left to right. The time is linear in the text.
 */
public final class LikePattern {
  /**
   * Maximum length of a segment with {@code _} or classes between two {@code %}. Bounds the time of
   * the search.
   */
  static final int MAX_FLOATING = 1000;

  private final List<LikeSegment> segments;
  private final int minLength;

  private LikePattern(List<LikeSegment> segments) {
    this.segments = segments;
    this.minLength = segments.stream().mapToInt(LikeSegment::length).sum();
  }

  /**
   * Compiles a pattern.
   *
   * @param escape the escape character, or null if there is none
   * @return null if the escape is not one character, if the pattern ends with it, or if a segment
   *     with {@code _} or a class between two {@code %} has more than 1,000 characters
   */
  public static @Nullable LikePattern compile(String pattern, @Nullable String escape) {
    if (escape != null && escape.length() != 1) {
      return null;
    }
    List<LikeSegment> segments = LikeParser.parse(pattern, escape == null ? -1 : escape.charAt(0));
    if (segments == null) {
      return null;
    }
    for (int i = 1; i < segments.size() - 1; i++) {
      LikeSegment segment = segments.get(i);
      if (!segment.literal() && segment.length() > MAX_FLOATING) {
        return null;
      }
    }
    return new LikePattern(withoutEmptyInside(segments));
  }

  /** Removes empty inner segments: two {@code %} in a row are equivalent to one. */
  private static List<LikeSegment> withoutEmptyInside(List<LikeSegment> segments) {
    List<LikeSegment> kept = new ArrayList<>(segments.size());
    for (int i = 0; i < segments.size(); i++) {
      if (i == 0 || i == segments.size() - 1 || segments.get(i).length() > 0) {
        kept.add(segments.get(i));
      }
    }
    return List.copyOf(kept);
  }

  public boolean matches(String text) {
    LikeSegment first = segments.get(0);
    if (text.length() < minLength || !first.matchesAt(text, 0)) {
      return false;
    }
    if (segments.size() == 1) {
      return text.length() == first.length();
    }
    LikeSegment last = segments.get(segments.size() - 1);
    int end = text.length() - last.length();
    if (!last.matchesAt(text, end)) {
      return false;
    }
    int at = first.length();
    for (int i = 1; i < segments.size() - 1; i++) {
      LikeSegment segment = segments.get(i);
      int found = segment.find(text, at, end);
      if (found < 0) {
        return false;
      }
      at = found + segment.length();
    }
    return true;
  }

  /** Returns the common start of all matching texts, which may be empty. */
  public String literalPrefix() {
    return segments.get(0).literalPrefix();
  }

  /** Returns true if every text that starts with {@link #literalPrefix} matches. */
  public boolean isPrefix() {
    return segments.size() == 2 && segments.get(0).literal() && segments.get(1).length() == 0;
  }

  /** Returns true if {@link #literalPrefix} is the only matching text. */
  public boolean isExact() {
    return segments.size() == 1 && segments.get(0).literal();
  }
}
