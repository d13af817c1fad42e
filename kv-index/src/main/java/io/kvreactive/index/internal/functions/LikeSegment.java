package io.kvreactive.index.internal.functions;

import static io.kvreactive.index.internal.worker.WorkerThread.checkpoint;

import java.util.List;

/**
 * What stands before, between or after the {@code %} of a pattern: as many characters as a text
 * must have there.
 */
final class LikeSegment {
  /** One place: a character, any one, or a class. */
  interface Place {
    boolean matches(char c);
  }

  private final String literalPrefix;
  private final Place[] rest;
  private final TextSearch search;

  /**
   * @param literalPrefix the places up to the first that is not a character
   * @param rest those from there on; empty when there is none
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

  /** The first place from {@code from} on that ends up to {@code end}, or −1. */
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
