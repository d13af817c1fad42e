package io.kvreactive.web;

import io.kvreactive.KvException;
import io.kvreactive.KvOptions;
import io.kvreactive.documents.DocumentThreads;
import io.kvreactive.internal.shared.ArgumentChecks;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.immutables.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * Options for operating a server. Immutable; start from {@link #DEFAULT}.
 *
 * @param metrics the options of {@code /metrics}; null disables it
 * @param accessLog true if every request is logged, at INFO under {@code access}
 * @param drainDelay the time for which {@code /readyz} reports the stop before the server rejects
 *     requests, so that load balancers notice
 * @param stores the options of each store that is opened
 * @param allowLazy true if collections may use the indexing mode lazy
 * @param maxVectorMemoryBytes the maximum heap of the quantizedFlat and diskANN vector indexes of
 *     all stores together; queries of an index beyond it read all of its vectors
 * @param maxQueryMemoryBytes the maximum heap of what the running queries of all stores hold
 *     together, and twice that of one caller; queries beyond it fail with QUERY_BUDGET_EXCEEDED
 */
@Value.Builder
public record OperationsOptions(
    @Nullable MetricsOptions metrics,
    boolean accessLog,
    Duration drainDelay,
    UnaryOperator<KvOptions> stores,
    boolean allowLazy,
    long maxVectorMemoryBytes,
    long maxQueryMemoryBytes)
    implements WithOperationsOptions {
  /**
   * The default options: no metrics, no access log, no delay, unchanged store options, no lazy
   * collections, a quarter of the heap for vector indexes, and a sixth for queries.
   */
  public static final OperationsOptions DEFAULT =
      new OperationsOptionsBuilder()
          .accessLog(false)
          .drainDelay(Duration.ZERO)
          .stores(UnaryOperator.identity())
          .allowLazy(false)
          .maxVectorMemoryBytes(DocumentThreads.Limits.NONE.maxVectorMemory())
          .maxQueryMemoryBytes(DocumentThreads.Limits.NONE.maxQueryMemory())
          .build();

  /**
   * Validates the options.
   *
   * @throws KvException INVALID_ARGUMENT if the memory of vector indexes or queries is below 0
   */
  public OperationsOptions {
    ArgumentChecks.atLeast("maxVectorMemoryBytes", maxVectorMemoryBytes, 0);
    ArgumentChecks.atLeast("maxQueryMemoryBytes", maxQueryMemoryBytes, 0);
  }
}
