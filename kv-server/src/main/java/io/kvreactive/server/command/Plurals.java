package io.kvreactive.server.command;

/** Counts in words. */
final class Plurals {
  private Plurals() {}

  /** Returns a count with its noun, such as {@code 1 entry} for 1 and {@code entries}. */
  static String of(long count, String nouns) {
    String one =
        nouns.endsWith("ies")
            ? nouns.substring(0, nouns.length() - 3) + "y"
            : nouns.substring(0, nouns.length() - 1);
    return count + " " + (count == 1 ? one : nouns);
  }
}
