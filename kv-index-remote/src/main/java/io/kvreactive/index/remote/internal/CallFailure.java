package io.kvreactive.index.remote.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;

/** The failure of an attempt, which decides whether another one follows. */
final class CallFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The knowledge about the effect of the attempt. */
  enum Kind {
    /** The attempt had no effect, and another one may succeed. */
    NOT_DONE,
    /** The attempt may have had an effect. */
    UNKNOWN,
    /** The server has answered, and another attempt would be answered alike. */
    FINAL
  }

  private final Kind kind;
  private final RuntimeException shown;
  private final long pauseMillis;

  /**
   * Creates a failure.
   *
   * @param shown the exception for users
   * @param pauseMillis the minimum pause before another attempt
   */
  CallFailure(Kind kind, RuntimeException shown, long pauseMillis) {
    super(shown.getMessage(), shown, false, false);
    this.kind = kind;
    this.shown = shown;
    this.pauseMillis = pauseMillis;
  }

  static CallFailure unavailable(Kind kind, String message, Throwable cause) {
    return new CallFailure(kind, new KvException(KvErrorCode.UNAVAILABLE, message, cause), 0);
  }

  Kind kind() {
    return kind;
  }

  RuntimeException shown() {
    return shown;
  }

  long pauseMillis() {
    return pauseMillis;
  }
}
