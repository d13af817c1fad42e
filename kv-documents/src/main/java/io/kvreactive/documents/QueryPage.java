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
 * @param explanation the plan and the operators that ran, if {@link QueryOptions#explain} is true;
 *     otherwise null
 */
public record QueryPage<R>(
    List<R> items,
    @Nullable String continuation,
    Versionstamp snapshot,
    QueryMetrics metrics,
    @Nullable Explanation explanation) {
  /** Creates a page without an explanation. */
  public QueryPage(
      List<R> items, @Nullable String continuation, Versionstamp snapshot, QueryMetrics metrics) {
    this(items, continuation, snapshot, metrics, null);
  }

  /** Returns this page with an explanation. */
  public QueryPage<R> withExplanation(@Nullable Explanation explanation) {
    return new QueryPage<>(items, continuation, snapshot, metrics, explanation);
  }
}
