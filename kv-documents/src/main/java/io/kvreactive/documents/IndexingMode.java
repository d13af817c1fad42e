package io.kvreactive.documents;

import java.util.Locale;

/** The time at which a collection updates its indexes, if it has any. */
public enum IndexingMode {
  /** An item and its entries change in the same commit: a query sees both or neither. */
  CONSISTENT,
  /**
   * Entries follow in the background. Writes are cheaper, and queries by index may miss recent
   * writes. Every row found exists and meets the query's condition.
   */
  LAZY,
  /** No entries: items are read by id, or queries scan. */
  NONE;

  /** Returns the name used in policies. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
