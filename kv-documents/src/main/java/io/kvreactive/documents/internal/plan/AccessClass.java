package io.kvreactive.documents.internal.plan;

/** The cost class of an index access, from cheap to expensive, as Azure Cosmos DB names it. */
public enum AccessClass {
  /** One or several values: exactly their entries. */
  INDEX_SEEK("indexSeek"),
  /** A range of values: exactly their entries. */
  PRECISE_INDEX_SCAN("preciseIndexScan"),
  /** A range with false positives. */
  EXPANDED_INDEX_SCAN("expandedIndexScan"),
  /** All entries of a path, each of them tested. */
  FULL_INDEX_SCAN("fullIndexScan"),
  /** All items, each of them loaded. */
  FULL_SCAN("fullScan");

  private final String text;

  AccessClass(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }
}
