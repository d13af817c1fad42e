package io.kvreactive.web;

import io.kvreactive.KvException;
import io.kvreactive.internal.shared.ArgumentChecks;
import org.immutables.value.Value;

/**
 * Rate limits per caller. A request above a limit is answered with 429 and {@code Retry-After}. On
 * the data path of KV Connect it is answered with 503, because its clients do not retry after 429.
 *
 * @param requestsPerSecond the sustained rate of each token; 0 for no limit
 * @param burst the number of requests that a token may make at once
 * @param failuresPerMinute the number of attempts of one address without a valid token; 0 for no
 *     limit
 * @param maxTracked the maximum number of tokens and addresses that are counted; the least recently
 *     used are evicted
 */
@Value.Builder
public record LimitOptions(int requestsPerSecond, int burst, int failuresPerMinute, int maxTracked)
    implements WithLimitOptions {
  /** The default limits: none for requests with a valid token, 60 failed attempts per minute. */
  public static final LimitOptions DEFAULT = new LimitOptions(0, 0, 60, 10_000);

  /**
   * @throws KvException INVALID_ARGUMENT if a number is negative, {@code maxTracked} is 0, or there
   *     is a rate and no burst
   */
  public LimitOptions {
    ArgumentChecks.atLeast("requestsPerSecond", requestsPerSecond, 0);
    ArgumentChecks.atLeast("burst", burst, requestsPerSecond == 0 ? 0 : 1);
    ArgumentChecks.atLeast("failuresPerMinute", failuresPerMinute, 0);
    ArgumentChecks.atLeast("maxTracked", maxTracked, 1);
  }

  /** Returns these options with a rate for each token. */
  public LimitOptions withRequests(int perSecond, int newBurst) {
    return new LimitOptions(perSecond, newBurst, failuresPerMinute, maxTracked);
  }
}
