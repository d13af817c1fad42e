package io.kvreactive.stress;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Tasks that a race hands to other threads, and which have to end. */
public final class Tasks {
  /** Time after which a task counts as lost. Below the time that jcstress waits for an actor. */
  private static final long MAX_MILLIS = 20_000;

  private static volatile boolean areAnyLost; // then the race has failed, and should end soon

  private final CountDownLatch running;

  /** Creates tasks of which none has ended. */
  public Tasks(int count) {
    running = new CountDownLatch(count);
  }

  /** Records the end of a task. */
  public void ended() {
    running.countDown();
  }

  /** Waits for the end of all tasks. Returns the number of those that are lost. */
  public int lost() {
    try {
      if (!running.await(areAnyLost ? 1 : MAX_MILLIS, TimeUnit.MILLISECONDS)) {
        areAnyLost = true;
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return (int) running.getCount();
  }
}
