package io.kvreactive.documents.internal.store;

/** The meaning of the second in an expiry key. */
public enum ExpiryKind {
  /**
   * The time of the write of an item without a ttl of its own; the collection's default applies.
   */
  WRITTEN('d'),
  /** The time of expiry of an item with a ttl of its own. */
  EXPIRES('e');

  private final byte code;

  ExpiryKind(char code) {
    this.code = (byte) code;
  }

  byte code() {
    return code;
  }
}
