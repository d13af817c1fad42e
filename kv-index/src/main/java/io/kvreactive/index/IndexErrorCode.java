package io.kvreactive.index;

/**
 * The stable names of what can go wrong with collections and queries, beside those of the store.
 */
public enum IndexErrorCode {
  /** A query cannot be parsed: SC1001, or SC2001 and others, which the error tells with a place. */
  INVALID_QUERY,
  /** Multi-property ORDER BY without a composite index that has that order. */
  ORDER_NOT_INDEXED,
  /** A query that no index serves would read all items, and its options do not allow that. */
  SCAN_NOT_ENABLED,
  /** An indexing policy, or another part of a collection's definition, is not valid. */
  INVALID_POLICY,
  /** A path of a policy cannot be parsed; the message tells the position. */
  INVALID_PATH,
  /** A change of a definition that only a new collection may have. */
  NOT_CHANGEABLE,
  /** An item is no JSON object, has no id or one that is not allowed, or a wrong ttl. */
  INVALID_ITEM,
  /** An item is larger or deeper than the limits; the message tells which. */
  ITEM_TOO_LARGE,
  /** There is no collection of that name. */
  COLLECTION_NOT_FOUND,
  /** There is a collection of that name with another definition. */
  COLLECTION_EXISTS,
  /** There is no item of that id in that partition. */
  ITEM_NOT_FOUND,
  /** An item of that id, or with those unique values, is already there. */
  ITEM_EXISTS,
  /** The item is not at the etag that was given any more. */
  ETAG_MISMATCH,
  /** A continuation token is not one of this query, or of a definition that is gone. */
  INVALID_CONTINUATION,
  /** A query has used its budget of memory, steps or time; the message tells which. */
  QUERY_BUDGET_EXCEEDED,
  /** A limit of queries, definitions or the index entries of an item is exceeded. */
  LIMIT_EXCEEDED,
  /** A patch does not fit the item it is applied to. */
  INVALID_PATCH,
  /** An argument is out of its documented range. */
  INVALID_ARGUMENT
}
