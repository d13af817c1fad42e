package io.kvreactive.spi;

/**
 * The statistics of a queue.
 *
 * @param queue the name of the queue
 * @param depth the number of messages, including leased ones
 * @param leased the number of leased messages, counted up to {@value #MAX_COUNTED}
 * @param ready the number of messages that could be delivered now, counted up to {@value
 *     #MAX_COUNTED}
 * @param oldestReadyMillis the time in milliseconds for which the first of them has been ready; 0
 *     if there is none
 * @param waiting the number of consumers that wait for messages
 */
public record QueueStats(
    String queue, long depth, int leased, int ready, long oldestReadyMillis, int waiting) {
  /** Maximum of the counts of leased and of ready messages. */
  public static final int MAX_COUNTED = 10_000;

  /** Returns the number of delayed messages, and of ready ones beyond the maximum. */
  public long delayed() {
    return Math.max(0, depth - leased - ready);
  }
}
