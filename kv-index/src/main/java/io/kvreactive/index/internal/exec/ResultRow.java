package io.kvreactive.index.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row, and where to go on behind it.
 *
 * @param docId the item it was made of; 0 for none
 * @param after the last item all of whose rows have been taken
 * @param partial the item of which rows have been taken; 0 when that was the last one of it
 * @param rows how many of it, this one included
 * @param keys what it was sorted by; empty when rows are not sorted
 */
record ResultRow(
    JsonNode value,
    long docId,
    @Nullable ScanPosition after,
    long partial,
    long rows,
    List<JsonNode> keys) {}
