package io.kvreactive.http.client;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import org.jspecify.annotations.Nullable;

/**
 * The failure of one attempt of a call, and its meaning for a repetition. Clients convert it to
 * {@link #shown} before it reaches a caller.
 */
public final class AttemptFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The known effect of a failed attempt. */
  public enum Kind {
    /** The call had no effect; a repetition may succeed. */
    NOT_DONE,
    /** The call had no effect; a repetition with new metadata may succeed. */
    STALE,
    /** The call may have had its effect; a repetition may succeed. */
    UNKNOWN,
    /** The response was aborted because it exceeded the maximum size. */
    TOO_LARGE,
    /** A repetition would fail in the same way. */
    FINAL
  }

  private final Kind kind;
  private final RuntimeException shown;
  private final long pauseMillis;

  /**
   * Creates a failure.
   *
   * @param shown the exception for the caller, a {@link io.kvreactive.KvError}
   * @param pauseMillis the pause that the server requests; 0 if there is none
   */
  public AttemptFailure(Kind kind, RuntimeException shown, long pauseMillis) {
    super(shown.getMessage(), shown, false, false);
    this.kind = kind;
    this.shown = shown;
    this.pauseMillis = pauseMillis;
  }

  public static AttemptFailure of(Kind kind, KvErrorCode code, String message) {
    return new AttemptFailure(kind, new KvException(code, message), 0);
  }

  /** Returns a failure of the network. */
  public static AttemptFailure unavailable(Kind kind, String message, @Nullable Throwable cause) {
    return new AttemptFailure(kind, new KvException(KvErrorCode.UNAVAILABLE, message, cause), 0);
  }

  /** Returns the failure for a response outside the protocol. */
  public static AttemptFailure malformed(String what) {
    return of(Kind.FINAL, KvErrorCode.UNAVAILABLE, "the server's answer is malformed: " + what);
  }

  /** Returns the failure for a response, or a part of it, over the maximum size of the call. */
  public static AttemptFailure tooLarge(HttpCall call) {
    return of(
        Kind.TOO_LARGE,
        KvErrorCode.LIMIT_EXCEEDED,
        "answer of more than %d bytes from %s"
            .formatted(call.limits().maxBytes(), ServerUrls.origin(call.uri())));
  }

  /** Returns the failure of a call that was not sent because the client is closed. */
  public static AttemptFailure closed() {
    return new AttemptFailure(Kind.FINAL, HttpTransport.closed(), 0);
  }

  public Kind kind() {
    return kind;
  }

  /** Returns the exception for the caller, if there is no repetition. */
  public RuntimeException shown() {
    return shown;
  }

  public long pauseMillis() {
    return pauseMillis;
  }
}
