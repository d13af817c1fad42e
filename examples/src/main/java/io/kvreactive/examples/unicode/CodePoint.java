package io.kvreactive.examples.unicode;

/**
 * The record of a character.
 *
 * @param name the unique name
 * @param block the name of the block in the JDK, such as {@code BASIC_LATIN}
 * @param script the name of the script in the JDK, such as {@code OGHAM}
 */
public record CodePoint(
    int codePoint, String name, String block, String script, Category category) {
  static CodePoint of(int codePoint, String name) {
    return new CodePoint(
        codePoint,
        name,
        String.valueOf(Character.UnicodeBlock.of(codePoint)),
        Character.UnicodeScript.of(codePoint).name(),
        Category.of(codePoint));
  }

  /**
   * Returns a text such as {@code U+0041 A LATIN CAPITAL LETTER A}. Controls and marks are not
   * shown.
   */
  @Override
  public String toString() {
    return "U+%04X %s %s"
        .formatted(codePoint, visible() ? Character.toString(codePoint) : "·", name);
  }

  private boolean visible() {
    return switch (category.shortName().charAt(0)) {
      case 'C', 'M', 'Z' -> false;
      default -> true;
    };
  }
}
