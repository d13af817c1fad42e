package io.kvreactive.examples.similar;

import java.util.Locale;
import java.util.stream.Stream;

/**
 * A character, as the collection stores it.
 *
 * @param id the code point in hexadecimal, such as "2603"
 * @param character the character itself
 * @param name the name, such as "SNOWMAN"
 * @param v the vector of the name
 */
public record NamedCharacter(String id, String character, String name, float[] v) {
  /**
   * Returns the characters that this JDK knows, other than those whose names follow from a rule.
   */
  static Stream<NamedCharacter> all() {
    return Stream.iterate(
            Character.MIN_CODE_POINT, code -> code <= Character.MAX_CODE_POINT, code -> code + 1)
        .filter(NamedCharacter::isNamed)
        .map(NamedCharacter::of);
  }

  private static NamedCharacter of(int codePoint) {
    String name = Character.getName(codePoint);
    return new NamedCharacter(
        hex(codePoint), Character.toString(codePoint), name, NameVectors.of(name));
  }

  /** Returns false for ideographs, Hangul syllables and others whose names follow from a rule. */
  private static boolean isNamed(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.UNASSIGNED,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.CONTROL,
          Character.FORMAT ->
          false;
      default ->
          !Character.UnicodeBlock.HANGUL_SYLLABLES.equals(Character.UnicodeBlock.of(codePoint))
              && !Character.getName(codePoint).endsWith(hex(codePoint));
    };
  }

  private static String hex(int codePoint) {
    return Integer.toHexString(codePoint).toUpperCase(Locale.ROOT);
  }
}
