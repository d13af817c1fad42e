package io.kvreactive.web;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits until a condition is true. */
public final class Conditions {
  private static final Duration PAUSE = Duration.ofMillis(10);

  private Conditions() {}

  public static void await(Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + TestServer.TIMEOUT.toNanos();
    while (true) {
      // before the condition is checked, because this thread may be stalled too
      boolean last = System.nanoTime() > end;
      if (condition.call()) {
        return;
      }
      if (last) {
        throw new AssertionError("it did not come true in " + TestServer.TIMEOUT);
      }
      Thread.sleep(PAUSE.toMillis());
    }
  }
}
