package io.kvreactive.index.internal.functions;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pattern of LIKE: {@code %} is any run of characters, {@code _} is one, {@code [a-f]} one of a
 * class, {@code [^a-f]} one that is not. Letter case counts. Characters are UTF-16 code units, as
 * for LENGTH.
 *
 * <p>In a class a {@code ]} that comes first and a {@code -} that comes first or last stand for
 * themselves, and a range that runs backwards has nothing. A {@code [} that is never closed stands
 * for itself. The character after the escape character stands for itself.
 *
 * <p>Matching never backtracks over {@code %}: what stands between two of them is looked for once,
 * from left to right. The time is linear in the text.
 */
public final class LikePattern {
  /** So that looking for what has {@code _} or classes cannot be made slow. */
  static final int MAX_FLOATING = 1000;

  private final List<LikeSegment> segments;
  private final int minLength;

  private LikePattern(List<LikeSegment> segments) {
    this.segments = segments;
    this.minLength = segments.stream().mapToInt(LikeSegment::length).sum();
  }

  /**
   * @param escape one character, or null when there is none
   * @return null when the escape is not one character, when the pattern ends with it, or when more
   *     than 1,000 characters with {@code _} or a class among them stand between two {@code %}
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

  /** Two {@code %} in a row are the same as one. */
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

  /** What every text that matches starts with; may be empty. */
  public String literalPrefix() {
    return segments.get(0).literalPrefix();
  }

  /** Whether every text that starts with {@link #literalPrefix} matches. */
  public boolean isPrefix() {
    return segments.size() == 2 && segments.get(0).literal() && segments.get(1).length() == 0;
  }

  /** Whether {@link #literalPrefix} is all that matches. */
  public boolean isExact() {
    return segments.size() == 1 && segments.get(0).literal();
  }
}
