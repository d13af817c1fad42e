package io.kvreactive.internal.api.tx;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;

/**
 * A conflict of the attempt itself, as opposed to a failure of the user's function. Does not leave
 * this package.
 */
final class RetryableConflict extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Throwable met;

  private RetryableConflict(Throwable met) {
    super("conflict", met, false, false);
    this.met = met;
  }

  static RetryableConflict of(Throwable met) {
    return new RetryableConflict(met);
  }

  /** Returns true if another attempt may succeed. */
  static boolean is(Throwable failure) {
    return failure instanceof KvException e
        && (e.code() == KvErrorCode.CONFLICT || e.code() == KvErrorCode.SNAPSHOT_TOO_OLD);
  }

  /** Returns the failure of the attempt. */
  Throwable met() {
    return met;
  }
}
