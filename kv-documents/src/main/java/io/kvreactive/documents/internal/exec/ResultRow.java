package io.kvreactive.documents.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A result row with its continuation.
 *
 * @param docId the document id of the item; 0 for none
 * @param after the position of the last item all of whose rows have been taken
 * @param partial the document id of the item of which some rows have been taken; 0 after its last
 *     row
 * @param rows the number of rows taken of the partial item, including this row
 * @param keys the sort keys of the row, or the values of GROUP BY; otherwise empty
 */
record ResultRow(
    JsonNode value,
    long docId,
    @Nullable ScanPosition after,
    long partial,
    long rows,
    List<JsonNode> keys) {}
