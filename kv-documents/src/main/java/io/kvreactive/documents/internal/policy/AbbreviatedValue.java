package io.kvreactive.documents.internal.policy;

/** Shortens a given value for use in a message. */
final class AbbreviatedValue {
  private static final int LENGTH = 120;

  private AbbreviatedValue() {}

  static String text(String value) {
    return value.length() > LENGTH ? value.substring(0, LENGTH) + "…" : value;
  }
}
