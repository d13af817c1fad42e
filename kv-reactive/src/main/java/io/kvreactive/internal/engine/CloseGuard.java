package io.kvreactive.internal.engine;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.util.concurrent.atomic.AtomicBoolean;

/** True if an engine is being closed. Thread-safe. */
final class CloseGuard {
  private final AtomicBoolean begun = new AtomicBoolean();

  /** Begins; returns whether nobody has before. */
  boolean begin() {
    return begun.compareAndSet(false, true);
  }

  boolean hasBegun() {
    return begun.get();
  }

  /** Throws CLOSED once it has begun. */
  void checkOpen() {
    if (begun.get()) {
      throw new KvException(KvErrorCode.CLOSED, "the store is closed");
    }
  }
}
