package io.kvreactive.index.internal.functions;

import static io.kvreactive.index.internal.worker.WorkerThread.checkpoint;

import java.util.List;

/**
 * A segment of a pattern: the characters before, between or after {@code %}. A segment matches a
 * fixed number of characters.
 */
final class LikeSegment {
  /** A position of a segment: a character, any character, or a class. */
  interface Place {
    boolean matches(char c);
  }

  private final String literalPrefix;
  private final Place[] rest;
  private final TextSearch search;

  /**
   * Creates a segment.
   *
   * @param literalPrefix the literal characters at the start
   * @param rest the positions from the first one that is not literal; empty if there is none
   */
  LikeSegment(String literalPrefix, List<Place> rest) {
    this.literalPrefix = literalPrefix;
    this.rest = rest.toArray(new Place[0]);
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
    for (int at = search.find(text, from); at >= 0 && at <= last; at = search.find(text, at + 1)) {
      checkpoint();
      if (restMatchesAt(text, at)) {
        return at;
      }
    }
    return -1;
  }
}
