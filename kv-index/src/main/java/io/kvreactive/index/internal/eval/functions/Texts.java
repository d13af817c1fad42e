package io.kvreactive.index.internal.eval.functions;

import static io.kvreactive.index.internal.value.Values.UNDEFINED;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.internal.value.Values;
import java.util.BitSet;

/** What functions of texts have in common. */
final class Texts {
  private Texts() {}

  /** As a value; undefined when it is too long. */
  static JsonNode bounded(String text) {
    return text.length() > Functions.MAX_RESULT ? UNDEFINED : Values.text(text);
  }

  /**
   * A text that is the same for all that differ in letter case only. Character by character, so
   * that its length stays and it does not depend on a language: ß is not ss.
   */
  static String fold(String text) {
    char[] chars = text.toCharArray();
    for (int i = 0; i < chars.length; i++) {
      chars[i] = Character.toLowerCase(Character.toUpperCase(chars[i]));
    }
    return new String(chars);
  }

  /** The characters of a text, as a set. */
  static BitSet chars(String text) {
    BitSet chars = new BitSet();
    text.chars().forEach(chars::set);
    return chars;
  }

  /** White space of any language, which includes spaces that do not break. */
  static boolean isBlank(char c) {
    return Character.isSpaceChar(c) || (c >= '\t' && c <= '\r') || c == '\u0085';
  }
}
