package io.kvreactive.documents;

import io.kvreactive.KvError;

/** The codes of {@link DocumentException}, beside the codes of the store. */
public enum DocumentErrorCode implements KvError.Code {
  /** The query is invalid: SC1001 for syntax, SC2001 and others as detail code, with a position. */
  INVALID_QUERY,
  /** A multi-property ORDER BY has no composite index with the same order. */
  ORDER_NOT_INDEXED,
  /** The query is served by no index and would read all items, which its options do not allow. */
  SCAN_NOT_ENABLED,
  /** An indexing policy, or another part of a collection's definition, is invalid. */
  INVALID_POLICY,
  /** A path of a policy is invalid; the message has the position. */
  INVALID_PATH,
  /** The change of the definition is allowed for new collections only. */
  NOT_CHANGEABLE,
  /** The item is no JSON object, has no valid id, or has an invalid ttl. */
  INVALID_ITEM,
  /** The item exceeds the limits of size or depth; the message names the limit. */
  ITEM_TOO_LARGE,
  /** The collection does not exist. */
  COLLECTION_NOT_FOUND,
  /** The collection already exists with another definition. */
  COLLECTION_EXISTS,
  /** The item does not exist in the partition. */
  ITEM_NOT_FOUND,
  /** An item with the same id or the same unique values already exists. */
  ITEM_EXISTS,
  /** The item has changed: its etag is no longer the given one. */
  ETAG_MISMATCH,
  /** The item does not meet the filter of a patch. */
  CONDITION_NOT_MET,
  /** The continuation token belongs to another query, or to a definition that no longer exists. */
  INVALID_CONTINUATION,
  /** The query exceeded its budget of memory, steps or time; the message names the budget. */
  QUERY_BUDGET_EXCEEDED,
  /** A limit of queries, definitions or the index entries of an item is exceeded. */
  LIMIT_EXCEEDED,
  /** The patch does not fit the item. */
  INVALID_PATCH,
  /** An argument is out of its documented range. */
  INVALID_ARGUMENT;

  @Override
  public boolean retryable() {
    return false;
  }
}
