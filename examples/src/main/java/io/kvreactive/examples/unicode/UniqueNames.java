package io.kvreactive.examples.unicode;

import java.util.HashSet;
import java.util.Set;

/**
 * The JDK's names. Unicode's own are unique, but the JDK makes some up: controls go by an alias,
 * and the many that have no name in its table by block and number. Should two come out the same,
 * the later one gets its number appended, so that no record is lost.
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
