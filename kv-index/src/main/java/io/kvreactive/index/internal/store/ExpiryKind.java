package io.kvreactive.index.internal.store;

/** What the second of an expiry key says. */
public enum ExpiryKind {
  /** When an item without a ttl of its own was written: it goes by the collection's default. */
  WRITTEN('d'),
  /** When an item with a ttl of its own expires. */
  EXPIRES('e');

  private final byte code;

  ExpiryKind(char code) {
    this.code = (byte) code;
  }

  byte code() {
    return code;
  }
}
