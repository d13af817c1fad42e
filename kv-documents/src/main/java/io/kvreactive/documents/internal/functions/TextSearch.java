package io.kvreactive.documents.internal.functions;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import org.jspecify.annotations.Nullable;

/**
 * Searches texts for a needle in linear time, for any text and needle. {@code String.indexOf} alone
 * may take the product of their lengths.
 */
final class TextSearch {
  /**
   * Maximum length of a needle for which {@code String.indexOf} is fast enough in the worst case.
   */
  private static final int SHORT = 16;

  /** Maximum number of characters that {@code String.indexOf} searches between two checkpoints. */
  private static final int MAX_WINDOW = 64 << 10;

  /** Number of characters of the first window of a long text. */
  private static final int MIN_WINDOW = 4 * SHORT;

  private final String needle;

  /**
   * The failure function of Knuth, Morris and Pratt: the longest proper border of each prefix; null
   * for short needles.
   */
  private final int @Nullable [] borders;

  TextSearch(String needle) {
    this.needle = needle;
    this.borders = needle.length() > SHORT ? borders(needle) : null;
  }

  static int indexOf(String text, String needle, int from) {
    return new TextSearch(needle).find(text, from);
  }

  /** Returns the last position, or −1. */
  static int lastIndexOf(String text, String needle) {
    if (needle.length() <= SHORT && text.length() <= MAX_WINDOW) {
      return text.lastIndexOf(needle);
    }
    int found = indexOf(reversed(text), reversed(needle), 0);
    return found < 0 ? -1 : text.length() - needle.length() - found;
  }

  /** Reverses a text by code units, so that positions can be counted back. */
  private static String reversed(String text) {
    char[] chars = new char[text.length()];
    for (int i = 0; i < chars.length; i++) {
      if ((i & 1023) == 1023) {
        checkpoint();
      }
      chars[i] = text.charAt(chars.length - 1 - i);
    }
    return new String(chars);
  }

  /** Returns the first position at {@code from} or later, or −1. */
  int find(String text, int from) {
    return borders == null ? shortNeedle(text, from) : search(text, from, borders);
  }

  private int shortNeedle(String text, int from) {
    int start = Math.max(0, from);
    // windows are copies; they grow with the distance, so that close matches cost little
    for (int window = MIN_WINDOW; text.length() - start > MAX_WINDOW; ) {
      checkpoint();
      int found = text.substring(start, start + window).indexOf(needle);
      if (found >= 0) {
        return start + found;
      }
      start += window - needle.length(); // a match may begin in this window and end in the next
      window = Math.min(2 * window, MAX_WINDOW);
    }
    return text.indexOf(needle, start);
  }

  private int search(String text, int from, int[] next) {
    int matched = 0;
    for (int i = from; i < text.length(); i++) {
      if ((i & 1023) == 1023) {
        checkpoint();
      }
      char c = text.charAt(i);
      while (matched > 0 && c != needle.charAt(matched)) {
        matched = next[matched - 1];
      }
      if (c == needle.charAt(matched)) {
        matched++;
      }
      if (matched == next.length) {
        return i - matched + 1;
      }
    }
    return -1;
  }

  private static int[] borders(String text) {
    int[] borders = new int[text.length()];
    int border = 0;
    for (int i = 1; i < borders.length; i++) {
      if ((i & 1023) == 1023) {
        checkpoint();
      }
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
}
