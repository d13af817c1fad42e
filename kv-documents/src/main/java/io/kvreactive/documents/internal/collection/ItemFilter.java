package io.kvreactive.documents.internal.collection;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.internal.store.CollectionMetadata;

/** A condition on a single item, compiled from the filter of a patch. */
public interface ItemFilter {
  /** Returns true if the item meets the condition. */
  boolean test(CollectionMetadata metadata, long docId, ObjectNode item);

  /** Compiles filters. The layer of queries implements it. */
  interface Compiler {
    /**
     * Compiles a filter: {@code FROM c WHERE …} or a predicate.
     *
     * @throws io.kvreactive.documents.QueryException INVALID_QUERY
     */
    ItemFilter compile(String filter);
  }
}
