package io.kvreactive;

import io.kvreactive.internal.shared.ArgumentChecks;
import java.time.Duration;

/**
 * The point at which a commit is answered.
 *
 * @param everyCommit true if a commit is answered only after it is on the medium
 * @param interval the interval of syncs otherwise. If the machine (not only the process) crashes,
 *     commits of the last interval can be lost: whole commits, from the end
 */
public record Durability(boolean everyCommit, Duration interval) {
  /** Answers after fsync: an answered commit survives power loss. The default. */
  public static final Durability SYNC = new Durability(true, Duration.ZERO);

  /**
   * Answers when the commit is handed to the operating system; it is on the medium within 100 ms.
   */
  public static final Durability RELAXED = relaxed(Duration.ofMillis(100));

  public Durability {
    if (!everyCommit) {
      ArgumentChecks.atLeast("interval", interval, Duration.ofMillis(1));
    }
  }

  /**
   * Returns a durability that answers when the commit is handed to the operating system; it is on
   * the medium within the interval.
   */
  public static Durability relaxed(Duration interval) {
    return new Durability(false, interval);
  }
}
