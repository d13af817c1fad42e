package io.kvreactive.documents.internal.functions;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.value.Values;
import java.util.BitSet;
import java.util.function.UnaryOperator;

/** Common helpers of text functions. */
final class TextArguments {
  private static final int CHUNK = 1024;

  private TextArguments() {}

  /**
   * Converts a text chunk by chunk, because the JDK takes quadratic time to change the case of a
   * text that grows. Cuts at blanks if possible, so that the end of a word is visible to the
   * conversion.
   *
   * @param function the name of the function, for the error of a result that is too long
   */
  static JsonNode inChunks(String function, String text, UnaryOperator<String> change) {
    if (text.length() <= CHUNK) {
      return Values.text(change.apply(text));
    }
    StringBuilder changed = new StringBuilder(text.length());
    int from = 0;
    while (from < text.length()) {
      checkpoint();
      int to = cut(text, from);
      changed.append(change.apply(text.substring(from, to)));
      FunctionLimitException.checkResult(function, changed.length());
      from = to;
    }
    return Values.text(changed.toString());
  }

  private static int cut(String text, int from) {
    int to = from + CHUNK;
    if (to >= text.length()) {
      return text.length();
    }
    for (int i = to; i > from + CHUNK / 2; i--) {
      if (isBlank(text.charAt(i))) {
        return i;
      }
    }
    return Character.isLowSurrogate(text.charAt(to)) ? to - 1 : to;
  }

  /**
   * Folds letter case: texts that differ in letter case only give the same result. Folding works
   * character by character, so that the length is unchanged and independent of language: ß is not
   * ss.
   */
  static String fold(String text) {
    char[] chars = text.toCharArray();
    for (int i = 0; i < chars.length; i++) {
      if ((i & 1023) == 1023) {
        checkpoint();
      }
      chars[i] = fold(chars[i]);
    }
    return new String(chars);
  }

  /** Folds one character, consistently with {@link #fold(String)}. */
  static char fold(char c) {
    return Character.toLowerCase(Character.toUpperCase(c));
  }

  /** Returns the characters of a text as a set. */
  static BitSet chars(String text) {
    BitSet chars = new BitSet();
    for (int i = 0; i < text.length(); i++) {
      if ((i & 1023) == 1023) {
        checkpoint();
      }
      chars.set(text.charAt(i));
    }
    return chars;
  }

  /** Returns true for white space of any language, including no-break spaces. */
  static boolean isBlank(char c) {
    return Character.isSpaceChar(c) || (c >= '\t' && c <= '\r') || c == '\u0085';
  }
}
