package io.kvreactive.documents.internal.functions;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import java.util.ArrayList;
import java.util.Comparator;
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

  private final List<Segment> segments;
  private final int minLength;
  private final boolean isTooLarge;

  private LikePattern(List<Segment> segments, boolean isTooLarge) {
    this.segments = segments;
    this.minLength = segments.stream().mapToInt(Segment::length).sum();
    this.isTooLarge = isTooLarge;
  }

  /**
   * Compiles a pattern.
   *
   * @param escape the escape character, or null if there is none
   * @return null if the escape is not one character, or if the pattern ends with it
   */
  public static @Nullable LikePattern compile(String pattern, @Nullable String escape) {
    if (escape != null && escape.length() != 1) {
      return null;
    }
    List<Segment> segments = Parser.parse(pattern, escape == null ? -1 : escape.charAt(0));
    if (segments == null) {
      return null;
    }
    boolean isTooLarge = false;
    for (int i = 1; i < segments.size() - 1; i++) {
      Segment segment = segments.get(i);
      isTooLarge |= !segment.literal() && segment.length() > MAX_FLOATING;
    }
    return new LikePattern(withoutEmptyInside(segments), isTooLarge);
  }

  /** Removes empty inner segments: two {@code %} in a row are equivalent to one. */
  private static List<Segment> withoutEmptyInside(List<Segment> segments) {
    List<Segment> kept = new ArrayList<>(segments.size());
    for (int i = 0; i < segments.size(); i++) {
      if (i == 0 || i == segments.size() - 1 || segments.get(i).length() > 0) {
        kept.add(segments.get(i));
      }
    }
    return List.copyOf(kept);
  }

  /**
   * Returns true if the whole text matches.
   *
   * @throws FunctionLimitException if a segment with {@code _} or a class between two {@code %} has
   *     more than 1,000 characters
   */
  public boolean matches(String text) {
    if (isTooLarge) {
      throw new FunctionLimitException(
          "LIKE: the pattern has _ or [ ] in a part between two % that is too long (expected: at"
              + " most "
              + MAX_FLOATING
              + " characters)");
    }
    Segment first = segments.get(0);
    if (text.length() < minLength || !first.matchesAt(text, 0)) {
      return false;
    }
    if (segments.size() == 1) {
      return text.length() == first.length();
    }
    Segment last = segments.get(segments.size() - 1);
    int end = text.length() - last.length();
    if (!last.matchesAt(text, end)) {
      return false;
    }
    int at = first.length();
    for (int i = 1; i < segments.size() - 1; i++) {
      Segment segment = segments.get(i);
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

  /** A position of a segment: a character, any character, or a class. */
  private interface Position {
    boolean matches(char c);
  }

  /**
   * A segment of a pattern: the characters before, between or after {@code %}. A segment matches a
   * fixed number of characters.
   */
  private static final class Segment {
    private final String literalPrefix;
    private final Position[] rest;
    private final TextSearch search;

    /**
     * Creates a segment.
     *
     * @param literalPrefix the literal characters at the start
     * @param rest the positions from the first one that is not literal; empty if there is none
     */
    Segment(String literalPrefix, List<Position> rest) {
      this.literalPrefix = literalPrefix;
      this.rest = rest.toArray(new Position[0]);
      this.search = new TextSearch(literalPrefix);
    }

    int length() {
      return literalPrefix.length() + rest.length;
    }

    boolean literal() {
      return rest.length == 0;
    }

    String literalPrefix() {
      return literalPrefix;
    }

    boolean matchesAt(String text, int at) {
      return at >= 0
          && at + length() <= text.length()
          && text.startsWith(literalPrefix, at)
          && restMatchesAt(text, at);
    }

    private boolean restMatchesAt(String text, int at) {
      int from = at + literalPrefix.length();
      for (int i = 0; i < rest.length; i++) {
        if (!rest[i].matches(text.charAt(from + i))) {
          return false;
        }
      }
      return true;
    }

    /**
     * Returns the first match that starts at {@code from} or later and ends at most at {@code end},
     * or −1.
     */
    int find(String text, int from, int end) {
      int last = end - length();
      for (int at = search.find(text, from);
          at >= 0 && at <= last;
          at = search.find(text, at + 1)) {
        checkpoint();
        if (restMatchesAt(text, at)) {
          return at;
        }
      }
      return -1;
    }
  }

  /** Parses a LIKE pattern into segments separated by {@code %}. */
  private static final class Parser {
    private static final Position ANY = c -> true;

    private final String pattern;
    private final int escape;
    private final List<Segment> segments = new ArrayList<>();
    private final StringBuilder prefix = new StringBuilder();
    private final List<Position> rest = new ArrayList<>();
    private int at;

    private Parser(String pattern, int escape) {
      this.pattern = pattern;
      this.escape = escape;
    }

    /**
     * Parses a pattern.
     *
     * @param escape the escape character, or −1
     * @return the segments, at least one; null if the escape character comes last
     */
    static @Nullable List<Segment> parse(String pattern, int escape) {
      Parser parser = new Parser(pattern, escape);
      return parser.parse() ? parser.segments : null;
    }

    private boolean parse() {
      boolean closable = true;
      while (at < pattern.length()) {
        checkpoint();
        char c = pattern.charAt(at++);
        if (c == escape) {
          if (at == pattern.length()) {
            return false;
          }
          literal(pattern.charAt(at++));
        } else if (c == '%') {
          cut();
        } else if (c == '_') {
          rest.add(ANY);
        } else if (c == '[' && closable) {
          Position oneOf = characterClass();
          if (oneOf == null) {
            // no closing bracket here means none for later classes either
            closable = false;
            literal('[');
          } else {
            rest.add(oneOf);
          }
        } else {
          literal(c);
        }
      }
      cut();
      return true;
    }

    private void literal(char c) {
      if (rest.isEmpty()) {
        prefix.append(c);
      } else {
        rest.add(x -> x == c);
      }
    }

    private void cut() {
      segments.add(new Segment(prefix.toString(), rest));
      prefix.setLength(0);
      rest.clear();
    }

    /** Parses a class. Returns null without consuming anything if the class is not closed. */
    private @Nullable Position characterClass() {
      int start = at;
      boolean inverted = at < pattern.length() && pattern.charAt(at) == '^';
      if (inverted) {
        at++;
      }
      CharacterClass members = new CharacterClass(inverted);
      boolean first = true;
      while (at < pattern.length()) {
        char c = pattern.charAt(at++);
        if (c == ']' && !first) {
          return members.merged();
        }
        first = false;
        if (c == escape && at < pattern.length()) {
          c = pattern.charAt(at++);
        }
        if (at + 1 < pattern.length()
            && pattern.charAt(at) == '-'
            && pattern.charAt(at + 1) != ']') {
          at++;
          char to = pattern.charAt(at++);
          if (to == escape && at < pattern.length()) {
            to = pattern.charAt(at++);
          }
          members.add(c, to);
        } else {
          members.add(c, c);
        }
      }
      at = start;
      return null;
    }
  }

  /** A character class of a LIKE pattern, as sorted ranges. Compact, and fast to test. */
  private static final class CharacterClass implements Position {
    private record Range(char from, char to) {}

    private final boolean inverted;
    private final List<Range> ranges = new ArrayList<>();

    CharacterClass(boolean inverted) {
      this.inverted = inverted;
    }

    /** Adds a range; a range whose {@code from} is after {@code to} is empty. */
    void add(char from, char to) {
      if (from <= to) {
        ranges.add(new Range(from, to));
      }
    }

    /** Sorts and merges the ranges. Must be called once, after the last {@link #add}. */
    CharacterClass merged() {
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
}
