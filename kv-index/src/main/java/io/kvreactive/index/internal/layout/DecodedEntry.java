package io.kvreactive.index.internal.layout;

import io.kvreactive.index.internal.encoding.DecodedValue;
import java.util.List;

/**
 * What a key tells.
 *
 * @param values one for each path of the index; none in an overflow entry
 * @param docId the number of the item
 */
public record DecodedEntry(List<DecodedValue> values, long docId) {}
