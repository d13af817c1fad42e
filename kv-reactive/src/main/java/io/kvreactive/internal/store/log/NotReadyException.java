package io.kvreactive.internal.store.log;

import java.io.IOException;

/**
 * Thrown if a file operation failed before anything was written to the log: the log is unchanged,
 * and the same call may succeed later.
 */
public final class NotReadyException extends IOException {
  private static final long serialVersionUID = 1L;

  NotReadyException(String doing, IOException cause) {
    super(doing + " failed: " + cause.getMessage(), cause);
  }
}
