package io.kvreactive.index;

/** Whether an item that is written gets entries in the indexes. */
public enum IndexingDirective {
  /** As the policy's {@code automatic} says. */
  DEFAULT,
  /** It does. */
  INCLUDE,
  /** It does not: queries that an index serves do not find it, reads by id do. */
  EXCLUDE
}
