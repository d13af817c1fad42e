package io.kvreactive.server.client;

import io.kvreactive.server.ExitCode;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Repeats an endless operation after its connection was lost, after pauses that grow from 250 ms to
 * 10 s. Fails if the server was never reached. Not thread-safe.
 */
final class ReconnectLoop {
  private static final Duration FIRST = Duration.ofMillis(250);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(10);

  private final Consumer<String> notices;
  private final CountDownLatch never = new CountDownLatch(1);
  private boolean reached;
  private boolean lost;
  private Duration pause = FIRST;

  /**
   * Creates a loop.
   *
   * @param notices the consumer of messages about lost and restored connections
   */
  ReconnectLoop(Consumer<String> notices) {
    this.notices = notices;
  }

  /** Records that the server has answered, which resets the pause. */
  void answered() {
    if (lost) {
      notices.accept("connected again");
    }
    reached = true;
    lost = false;
    pause = FIRST;
  }

  /**
   * Runs an operation until it returns or fails for another reason than a lost connection.
   *
   * @param attempt the operation. It must continue at its last position, and call {@link #answered}
   *     when the server has answered
   */
  void keep(Runnable attempt) {
    while (true) {
      try {
        attempt.run();
        return;
      } catch (CliException e) {
        if (!reached || e.exitCode() != ExitCode.UNREACHABLE) {
          throw e;
        }
        if (!lost) {
          notices.accept(e.text() + "; trying again");
        }
        lost = true;
        rest();
      }
    }
  }

  private void rest() {
    long millis = pause.toMillis() / 2 + ThreadLocalRandom.current().nextLong(pause.toMillis());
    Duration twice = pause.multipliedBy(2);
    pause = twice.compareTo(MAX_PAUSE) < 0 ? twice : MAX_PAUSE;
    try {
      var unused = never.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CliException(ExitCode.FAILED, "interrupted");
    }
  }
}
