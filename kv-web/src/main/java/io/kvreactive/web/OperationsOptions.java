package io.kvreactive.web;

import io.kvreactive.KvOptions;
import java.time.Duration;
import java.util.function.UnaryOperator;
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
 */
public record OperationsOptions(
    @Nullable MetricsOptions metrics,
    boolean accessLog,
    Duration drainDelay,
    UnaryOperator<KvOptions> stores,
    boolean allowLazy) {
  /**
   * The default options: no metrics, no access log, no delay, unchanged store options, and no lazy
   * collections.
   */
  public static final OperationsOptions DEFAULT =
      new OperationsOptions(null, false, Duration.ZERO, UnaryOperator.identity(), false);

  /** Returns these options with {@code /metrics}. */
  public OperationsOptions withMetrics(MetricsOptions newMetrics) {
    return new OperationsOptions(newMetrics, accessLog, drainDelay, stores, allowLazy);
  }

  /** Returns these options with or without an access log. */
  public OperationsOptions withAccessLog(boolean wanted) {
    return new OperationsOptions(metrics, wanted, drainDelay, stores, allowLazy);
  }

  /** Returns these options with a delay before requests are rejected. */
  public OperationsOptions withDrainDelay(Duration delay) {
    return new OperationsOptions(metrics, accessLog, delay, stores, allowLazy);
  }

  /** Returns these options with other options of the stores. */
  public OperationsOptions withStores(UnaryOperator<KvOptions> configure) {
    return new OperationsOptions(metrics, accessLog, drainDelay, configure, allowLazy);
  }

  /** Returns these options with or without lazy collections. */
  public OperationsOptions withAllowLazy(boolean allow) {
    return new OperationsOptions(metrics, accessLog, drainDelay, stores, allow);
  }
}
