package io.kvreactive.web.internal.http;

/**
 * Estimates the memory of JSON as a tree, from its text and before it is parsed. A tree takes up to
 * forty times the bytes of its text.
 *
 * <p>The figures are those of Jackson's nodes on a 64-bit JVM with compressed references. An object
 * is a node, a hash map and its table; an array is a node, a list and its table; a property is an
 * entry. Any other value is a node; strings and names are two objects more. Text counts twice,
 * because a character may take two bytes. The estimate is not exact, and is defined for text that
 * is not JSON too.
 */
public final class JsonTreeSize {
  private static final int OBJECT = 80; // without properties
  private static final int TABLE = 120; // of an object's properties, and the first one
  private static final int ARRAY = 144; // and its first element
  private static final int ELEMENT = 40; // of an array, or half of a property
  private static final int PROPERTY = 32; // the other half
  private static final int STRING = 64;
  private static final int TEXT = 2; // for each character

  private long bytes;
  private boolean inString;
  private boolean inNewObject;
  private boolean escaped;

  private JsonTreeSize() {}

  /** Estimates the tree of JSON in UTF-8. */
  public static long of(byte[] utf8) {
    JsonTreeSize tree = new JsonTreeSize();
    for (byte unit : utf8) {
      tree.add(unit);
    }
    return tree.bytes + TEXT * (long) utf8.length;
  }

  /** Estimates the tree of a JSON text. */
  public static long of(String text) {
    JsonTreeSize tree = new JsonTreeSize();
    for (int i = 0; i < text.length(); i++) {
      tree.add(text.charAt(i));
    }
    return tree.bytes + TEXT * (long) text.length();
  }

  private void add(int unit) {
    if (inString) {
      if (escaped) {
        escaped = false;
      } else if (unit == '\\') {
        escaped = true;
      } else if (unit == '"') {
        inString = false;
      }
      return;
    }
    switch (unit) {
      case '"' -> {
        inString = true;
        bytes += STRING;
      }
      case '{' -> {
        inNewObject = true;
        bytes += OBJECT;
      }
      case '[' -> bytes += ARRAY;
      case ':' -> {
        bytes += inNewObject ? TABLE : PROPERTY;
        inNewObject = false;
      }
      case ',' -> bytes += ELEMENT;
      default -> {
        // part of a number or a word, or nothing
      }
    }
  }
}
