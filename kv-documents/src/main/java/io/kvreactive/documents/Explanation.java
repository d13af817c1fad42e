package io.kvreactive.documents;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The plan of a query: the indexes used, rejected and missing. Of a page also the operators that
 * ran.
 *
 * @param plan the plan in the format of {@code docs/query.md}: access, residual, orderBy,
 *     aggregate, rejected, notReady; {@code advice} if there is any. If indexes may lag behind
 *     items, {@code indexLag} is the number of items behind, counted up to 10,000, and {@code
 *     indexLagMore} is true if there are more
 * @param indexMetrics the utilized and potential indexes, in the format of Azure Cosmos DB's index
 *     metrics
 * @param operators the tree of the operators that ran for a page, in the format of {@code
 *     docs/query.md}: each with the entries that it read from the store and the rows that it passed
 *     on. Null if the query was not run: the number of entries decides which operators run
 */
public record Explanation(
    ObjectNode plan, ObjectNode indexMetrics, @Nullable ObjectNode operators) {}
