package io.kvreactive.index.internal.layout;

import io.kvreactive.index.internal.encoding.Decoded;
import java.util.List;

/**
 * What a key tells.
 *
 * @param values one for each path of the index; none in an overflow entry
 * @param docId the number of the item
 */
public record Entry(List<Decoded> values, long docId) {}
