package io.kvreactive.web;

/**
 * How much one caller may ask; more is answered with 429 and {@code Retry-After} (503 on the data
 * path of KV Connect, whose clients give up for good at 429).
 *
 * @param requestsPerSecond of each token, lasting; 0 for no limit
 * @param burst of requests that a token may make at once
 * @param failuresPerMinute attempts of one address with no or a wrong token; 0 for no limit
 * @param maxTracked tokens and addresses that are counted at a time; the least recent are forgotten
 */
public record LimitOptions(
    int requestsPerSecond, int burst, int failuresPerMinute, int maxTracked) {
  /** No limit for those who have a token, 60 attempts in a minute for others. */
  public static final LimitOptions DEFAULT = new LimitOptions(0, 0, 60, 10_000);

  /**
   * @throws IllegalArgumentException when a number is negative, {@code maxTracked} is 0, or there
   *     is a rate and no burst
   */
  public LimitOptions {
    check("requestsPerSecond", requestsPerSecond, 0);
    check("burst", burst, requestsPerSecond == 0 ? 0 : 1);
    check("failuresPerMinute", failuresPerMinute, 0);
    check("maxTracked", maxTracked, 1);
  }

  private static void check(String name, int value, int least) {
    if (value < least) {
      throw new IllegalArgumentException(
          name + ": " + value + " (expected: " + least + " or more)");
    }
  }

  /** With a rate for each token. */
  public LimitOptions withRequests(int perSecond, int newBurst) {
    return new LimitOptions(perSecond, newBurst, failuresPerMinute, maxTracked);
  }

  /** With another number of failed attempts. */
  public LimitOptions withFailuresPerMinute(int failures) {
    return new LimitOptions(requestsPerSecond, burst, failures, maxTracked);
  }

  /** Counting more or fewer tokens and addresses. */
  public LimitOptions withMaxTracked(int tracked) {
    return new LimitOptions(requestsPerSecond, burst, failuresPerMinute, tracked);
  }
}
