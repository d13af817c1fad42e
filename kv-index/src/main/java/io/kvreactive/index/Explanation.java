package io.kvreactive.index;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * How a query is answered, without running it: which indexes, why not others, which it could use.
 *
 * @param plan in the shape of {@code docs/query.md}: access, residual, orderBy, aggregate,
 *     rejected, notReady; where indexes may lag behind items, {@code indexLag}: behind how many,
 *     counted up to 10,000, and {@code indexLagMore}: whether there are more; {@code advice}, if
 *     there is any
 * @param indexMetrics utilized and potential indexes, in the shape of Azure Cosmos DB's index
 *     metrics
 */
public record Explanation(ObjectNode plan, ObjectNode indexMetrics) {}
