package io.kvreactive.index;

import java.util.Locale;

/** Whether a collection keeps indexes. */
public enum IndexingMode {
  /** An item and its entries change in the same commit: a query sees both or neither. */
  CONSISTENT,
  /** No entries at all: a collection is used by ids, or its queries scan. */
  NONE;

  /** The name in policies. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
