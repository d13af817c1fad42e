package io.kvreactive.internal.api.tx;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;

/**
 * What an attempt itself has met and another one may not: tells it from what the user's function
 * fails with, whatever that is. Never leaves this package.
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

  /** Returns true if another attempt may do better. */
  static boolean is(Throwable failure) {
    return failure instanceof KvException e
        && (e.code() == KvErrorCode.CONFLICT || e.code() == KvErrorCode.SNAPSHOT_TOO_OLD);
  }

  /** What the attempt has met. */
  Throwable met() {
    return met;
  }
}
