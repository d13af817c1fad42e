package io.kvreactive.documents;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The plan of a query that was not run: the indexes used, rejected and missing.
 *
 * @param plan the plan in the format of {@code docs/query.md}: access, residual, orderBy,
 *     aggregate, rejected, notReady; {@code advice} if there is any. If indexes may lag behind
 *     items, {@code indexLag} is the number of items behind, counted up to 10,000, and {@code
 *     indexLagMore} is true if there are more
 * @param indexMetrics the utilized and potential indexes, in the format of Azure Cosmos DB's index
 *     metrics
 */
public record Explanation(ObjectNode plan, ObjectNode indexMetrics) {}
