package io.kvreactive.index;

import io.kvreactive.Versionstamp;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some rows of a query, read at one version.
 *
 * @param items the rows
 * @param continuation for the next page; null when there are no more rows
 * @param snapshot the version that was read
 * @param metrics what it cost
 */
public record QueryPage<R>(
    List<R> items, @Nullable String continuation, Versionstamp snapshot, QueryMetrics metrics) {}
