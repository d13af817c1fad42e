package io.kvreactive.internal.engine;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.util.concurrent.atomic.AtomicBoolean;

/** The closing state of an engine. Thread-safe. */
final class CloseGuard {
  private final AtomicBoolean begun = new AtomicBoolean();

  /** Begins closing; returns true for the first call only. */
  boolean begin() {
    return begun.compareAndSet(false, true);
  }

  boolean hasBegun() {
    return begun.get();
  }

  /** Throws CLOSED if closing has begun. */
  void checkOpen() {
    if (begun.get()) {
      throw new KvException(KvErrorCode.CLOSED, "the store is closed");
    }
  }
}
