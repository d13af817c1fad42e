package io.kvreactive.postgres.internal;

/**
 * The server's time, estimated between its answers: the time of this machine, shifted by as little
 * as agrees with every answer. Thread-safe.
 */
final class DatabaseClock {
  private volatile long ahead; // milliseconds

  /** Returns the estimate, milliseconds since 1970. */
  long now() {
    return System.currentTimeMillis() + ahead;
  }

  /**
   * Records the server's time from an answer.
   *
   * @param server the server's time in the answer
   * @param requested the time of this machine before the request; this method must be called after
   *     the answer
   */
  synchronized void observe(long server, long requested) {
    long least = server - System.currentTimeMillis();
    long most = server - requested;
    if (least <= most) { // otherwise the clock of this machine was set back in between
      ahead = Math.max(least, Math.min(most, ahead));
    }
  }
}
