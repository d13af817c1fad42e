package io.kvreactive.internal.store.verify;

import java.io.IOException;

/** One thing to be checked, in steps of a few milliseconds. */
interface VerificationPass {
  /**
   * Goes on until a time, or the end.
   *
   * @param until by {@link System#nanoTime}
   * @return true if there is more to do
   */
  boolean step(long until) throws IOException;

  static boolean isOver(long until) {
    return System.nanoTime() - until >= 0;
  }
}
