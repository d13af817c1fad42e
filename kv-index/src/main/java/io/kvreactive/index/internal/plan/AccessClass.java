package io.kvreactive.index.internal.plan;

/** What reading an index costs, from cheap to dear, as Azure Cosmos DB names it. */
public enum AccessClass {
  /** One value, or some: just its entries. */
  INDEX_SEEK("indexSeek"),
  /** A range of values: just its entries. */
  PRECISE_INDEX_SCAN("preciseIndexScan"),
  /** A range that has more than what is looked for. */
  EXPANDED_INDEX_SCAN("expandedIndexScan"),
  /** All entries of a path, each is tested. */
  FULL_INDEX_SCAN("fullIndexScan"),
  /** All items, each is loaded. */
  FULL_SCAN("fullScan");

  private final String text;

  AccessClass(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }
}
