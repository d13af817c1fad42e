package io.kvreactive.index;

/** What an index is good for at the moment. */
public enum IndexState {
  /** Written, not read: entries of older items are still to come. */
  BUILDING,
  /** Written and read. */
  READY,
  /** Neither: what is left of it is being removed. */
  DROPPING,
  /** Written, not read: building it has failed. */
  FAILED
}
