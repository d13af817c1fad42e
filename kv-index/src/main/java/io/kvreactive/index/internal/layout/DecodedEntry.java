package io.kvreactive.index.internal.layout;

import io.kvreactive.index.internal.encoding.DecodedValue;
import java.util.List;

/**
 * The contents of an index key.
 *
 * @param values the values, one for each path of the index; none in an overflow entry
 * @param docId the document id of the item
 */
public record DecodedEntry(List<DecodedValue> values, long docId) {}
