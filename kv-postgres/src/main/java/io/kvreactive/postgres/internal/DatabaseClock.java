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
   * Notes the server's time in an answer.
   *
   * @param server what the server said
   * @param asked the time of this machine before the question, and now is after the answer
   */
  synchronized void observe(long server, long asked) {
    long least = server - System.currentTimeMillis();
    long most = server - asked;
    if (least <= most) { // else this machine's clock was set back meanwhile
      ahead = Math.max(least, Math.min(most, ahead));
    }
  }
}
