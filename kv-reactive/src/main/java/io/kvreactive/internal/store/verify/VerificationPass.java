package io.kvreactive.internal.store.verify;

import java.io.IOException;

/** One part of a verification, in steps of a few milliseconds. */
interface VerificationPass {
  /**
   * Continues until a time, or the end.
   *
   * @param until the time by {@link System#nanoTime}
   * @return true if there is more to do
   */
  boolean step(long until) throws IOException;

  static boolean isOver(long until) {
    return System.nanoTime() - until >= 0;
  }
}
