package io.kvreactive.connect.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import org.jspecify.annotations.Nullable;

/** Why one attempt of a call failed, and what that says of another. Never leaves this package. */
final class AttemptFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What is known of a failed attempt. */
  enum Kind {
    /** Nothing was done; a later attempt may succeed. */
    NOT_DONE,
    /** Nothing was done; a later attempt may succeed with new metadata. */
    STALE,
    /** It may have been done; a later attempt may succeed. */
    UNKNOWN,
    /** The answer was given up because it was larger than what is taken. */
    TOO_LARGE,
    /** Another attempt would end the same. */
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

  /** The network failed. */
  static AttemptFailure unavailable(Kind kind, String message, @Nullable Throwable cause) {
    return of(kind, new KvException(KvErrorCode.UNAVAILABLE, message, cause));
  }

  /** A server said what the protocol does not have. */
  static AttemptFailure malformed(String what) {
    return of(
        Kind.FINAL,
        new KvException(KvErrorCode.UNAVAILABLE, "the server's answer is malformed: " + what));
  }

  /** The same, from a server that said when to come again. */
  AttemptFailure withPause(long millis) {
    return new AttemptFailure(kind, shown, millis);
  }

  Kind kind() {
    return kind;
  }

  /** What the user is told when there is no other attempt. */
  KvException shown() {
    return shown;
  }

  /** How long the server asks to wait; 0 when it does not say. */
  long pauseMillis() {
    return pauseMillis;
  }
}
