package io.kvreactive.connect.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import org.jspecify.annotations.Nullable;

/**
 * The failure of one attempt of a call, and its meaning for a retry. It never leaves this package.
 */
final class AttemptFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The known effect of a failed attempt. */
  enum Kind {
    /** The call had no effect; a retry may succeed. */
    NOT_DONE,
    /** The call had no effect; a retry with new metadata may succeed. */
    STALE,
    /** The call may have had its effect; a retry may succeed. */
    UNKNOWN,
    /** The response was aborted because it exceeded the maximum size. */
    TOO_LARGE,
    /** A retry would fail in the same way. */
    FINAL
  }

  private final Kind kind;
  private final transient KvException shown;
  private final long pauseMillis;

  private AttemptFailure(Kind kind, KvException shown, long pauseMillis) {
    super(shown.getMessage(), shown, false, false);
    this.kind = kind;
    this.shown = shown;
    this.pauseMillis = pauseMillis;
  }

  static AttemptFailure of(Kind kind, KvException shown) {
    return new AttemptFailure(kind, shown, 0);
  }

  static AttemptFailure of(Kind kind, KvErrorCode code, String message) {
    return of(kind, new KvException(code, message));
  }

  /** Returns a failure of the network. */
  static AttemptFailure unavailable(Kind kind, String message, @Nullable Throwable cause) {
    return of(kind, new KvException(KvErrorCode.UNAVAILABLE, message, cause));
  }

  /** Returns the failure for a response outside the protocol. */
  static AttemptFailure malformed(String what) {
    return of(
        Kind.FINAL,
        new KvException(KvErrorCode.UNAVAILABLE, "the server's answer is malformed: " + what));
  }

  /** Returns this failure with the pause that the server requests. */
  AttemptFailure withPause(long millis) {
    return new AttemptFailure(kind, shown, millis);
  }

  Kind kind() {
    return kind;
  }

  /** Returns the exception for the caller, if there is no retry. */
  KvException shown() {
    return shown;
  }

  /** Returns the pause that the server requests; 0 if there is none. */
  long pauseMillis() {
    return pauseMillis;
  }
}
