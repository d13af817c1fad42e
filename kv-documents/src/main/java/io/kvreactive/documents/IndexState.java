package io.kvreactive.documents;

/** The state of an index, which decides if writes maintain the index and if queries read it. */
public enum IndexState {
  /** Maintained by writes, not read: entries of older items are still missing. */
  BUILDING,
  /** Maintained by writes and read by queries. */
  READY,
  /** Neither maintained nor read: the remaining entries are being removed. */
  DROPPING,
  /** Maintained by writes, not read: building the index has failed. */
  FAILED
}
