package io.kvreactive.spi;

/**
 * How a queue is doing.
 *
 * @param queue its name
 * @param depth messages in it, leased ones included
 * @param leased those with consumers; no more than {@value #MAX_COUNTED} are counted
 * @param ready those that could be delivered now; no more than {@value #MAX_COUNTED} are counted
 * @param oldestReadyMillis how long the first of those has been ready; 0 when there is none
 * @param waiting consumers that wait for messages
 */
public record QueueStats(
    String queue, long depth, int leased, int ready, long oldestReadyMillis, int waiting) {
  /** Where counting ends. */
  public static final int MAX_COUNTED = 10_000;

  /** Messages whose time has not come, and ready ones that were not counted. */
  public long delayed() {
    return Math.max(0, depth - leased - ready);
  }
}
