package io.kvreactive.index.internal.policy;

/** What was given, short enough for a message. */
final class Shown {
  private static final int LENGTH = 120;

  private Shown() {}

  static String text(String value) {
    return value.length() > LENGTH ? value.substring(0, LENGTH) + "…" : value;
  }
}
