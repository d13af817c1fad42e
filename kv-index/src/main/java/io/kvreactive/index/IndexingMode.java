package io.kvreactive.index;

import java.util.Locale;

/** Whether a collection keeps indexes. */
public enum IndexingMode {
  /** An item and its entries change in the same commit: a query sees both or neither. */
  CONSISTENT,
  /**
   * Entries follow later, in the background: writes are cheaper, and queries that go by indexes may
   * not find what was written lately. What they find is there, and as they ask for it.
   */
  LAZY,
  /** No entries at all: a collection is used by ids, or its queries scan. */
  NONE;

  /** The name in policies. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
