package io.kvreactive.documents;

import io.kvreactive.Versionstamp;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One page of a query, read at one version.
 *
 * @param items the rows
 * @param continuation the continuation token of the next page; null after the last page
 * @param snapshot the version that was read
 * @param metrics the cost of the page
 */
public record QueryPage<R>(
    List<R> items, @Nullable String continuation, Versionstamp snapshot, QueryMetrics metrics) {}
