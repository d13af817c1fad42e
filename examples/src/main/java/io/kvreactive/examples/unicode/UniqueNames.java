package io.kvreactive.examples.unicode;

import java.util.HashSet;
import java.util.Set;

/**
 * Unique names of characters. Unicode's own names are unique, but the JDK generates others: aliases
 * for controls, and block and number for characters that its table does not name. If a name occurs
 * again, the code point is appended, so that no record is lost.
 */
final class UniqueNames {
  private final Set<String> taken = new HashSet<>();

  String of(int codePoint) {
    String name = Character.getName(codePoint);
    return unique(name == null ? "UNNAMED" : name, codePoint);
  }

  String unique(String name, int codePoint) {
    return taken.add(name) ? name : "%s (U+%04X)".formatted(name, codePoint);
  }
}
