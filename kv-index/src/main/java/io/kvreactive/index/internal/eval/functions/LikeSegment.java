package io.kvreactive.index.internal.eval.functions;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What stands before, between or after the {@code %} of a pattern: as many characters as a text
 * must have there.
 */
final class LikeSegment {
  /** One place: a character, any one, or a class. */
  interface Place {
    boolean matches(char c);
  }

  /** From here on {@code String.indexOf}, which may take length times length, is not used. */
  private static final int SHORT = 16;

  private final String literalPrefix;
  private final int length;

  /** Null when all places are characters, those of the prefix. */
  private final Place @Nullable [] places;

  /** Of Knuth, Morris and Pratt: the longest proper border of each prefix. */
  private final int @Nullable [] borders;

  /**
   * @param literalPrefix the places up to the first that is not a character
   * @param rest those from there on; empty when there is none
   */
  LikeSegment(String literalPrefix, List<Place> rest) {
    this.literalPrefix = literalPrefix;
    this.length = literalPrefix.length() + rest.size();
    this.places = rest.isEmpty() ? null : rest.toArray(new Place[0]);
    this.borders = rest.isEmpty() && length > SHORT ? borders(literalPrefix) : null;
  }

  private static int[] borders(String text) {
    int[] borders = new int[text.length()];
    int border = 0;
    for (int i = 1; i < borders.length; i++) {
      while (border > 0 && text.charAt(i) != text.charAt(border)) {
        border = borders[border - 1];
      }
      if (text.charAt(i) == text.charAt(border)) {
        border++;
      }
      borders[i] = border;
    }
    return borders;
  }

  int length() {
    return length;
  }

  boolean literal() {
    return places == null;
  }

  String literalPrefix() {
    return literalPrefix;
  }

  boolean matchesAt(String text, int at) {
    if (at < 0 || at + length > text.length() || !text.startsWith(literalPrefix, at)) {
      return false;
    }
    if (places != null) {
      int from = at + literalPrefix.length();
      for (int i = 0; i < places.length; i++) {
        if (!places[i].matches(text.charAt(from + i))) {
          return false;
        }
      }
    }
    return true;
  }

  /** The first place from {@code from} on that ends up to {@code end}, or −1. */
  int find(String text, int from, int end) {
    if (places == null) {
      int found = borders == null ? text.indexOf(literalPrefix, from) : search(text, from, borders);
      return found + length <= end ? found : -1;
    }
    for (int at = from; at + length <= end; at++) {
      if (matchesAt(text, at)) {
        return at;
      }
    }
    return -1;
  }

  private int search(String text, int from, int[] next) {
    int matched = 0;
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      while (matched > 0 && c != literalPrefix.charAt(matched)) {
        matched = next[matched - 1];
      }
      if (c == literalPrefix.charAt(matched)) {
        matched++;
      }
      if (matched == length) {
        return i - length + 1;
      }
    }
    return -1;
  }
}
