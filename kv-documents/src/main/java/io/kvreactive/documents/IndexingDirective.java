package io.kvreactive.documents;

/** A directive of a write: add the item to the indexes, or keep it out. */
public enum IndexingDirective {
  /** Follows the policy's {@code automatic}. */
  DEFAULT,
  /** The item is indexed. */
  INCLUDE,
  /** The item is not indexed: queries served by an index do not find it, reads by id do. */
  EXCLUDE
}
