package io.kvreactive;

import java.time.Duration;

/**
 * When a commit is answered.
 *
 * @param everyCommit true if a commit is answered only when it is on the medium
 * @param interval how often the log is brought to the medium otherwise; what was answered within it
 *     can be lost when the machine (not merely the process) goes down. Whatever is lost, commits
 *     are lost from the end, whole
 */
public record Durability(boolean everyCommit, Duration interval) {
  /** Answered after fsync: an answered commit survives power loss. The default. */
  public static final Durability SYNC = new Durability(true, Duration.ZERO);

  /** Answered when handed to the operating system; on the medium within 100 ms. */
  public static final Durability RELAXED = relaxed(Duration.ofMillis(100));

  public Durability {
    if (!everyCommit && interval.toMillis() < 1) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT, "interval: " + interval + " (expected: at least 1 ms)");
    }
  }

  /** Answered when handed to the operating system; on the medium within the interval. */
  public static Durability relaxed(Duration interval) {
    return new Durability(false, interval);
  }
}
