package io.kvreactive.web;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits until something is so. */
public final class Conditions {
  private static final Duration PAUSE = Duration.ofMillis(10);

  private Conditions() {}

  public static void await(Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + TestServer.TIMEOUT.toNanos();
    while (true) {
      boolean last = System.nanoTime() > end; // looked at first: this thread may stand still too
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
