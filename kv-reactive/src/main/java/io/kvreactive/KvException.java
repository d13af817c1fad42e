package io.kvreactive;

import org.jspecify.annotations.Nullable;

/**
 * The one exception family of the toolkit: told apart by {@link #code()}, never by subclass or
 * message. Messages start with the code and carry the offending value and what was expected.
 *
 * <p>A failed check is not an exception: see {@link CommitResult}.
 */
public final class KvException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final KvErrorCode code;
  private final String detail;

  public KvException(KvErrorCode code, String message) {
    this(code, message, null);
  }

  public KvException(KvErrorCode code, String message, @Nullable Throwable cause) {
    super(code + ": " + message, cause);
    this.code = code;
    this.detail = message;
  }

  /** The stable code of this failure. */
  public KvErrorCode code() {
    return code;
  }

  /** The message without the code in front. */
  public String detail() {
    return detail;
  }

  /** Whether the same call may succeed later, unchanged; see {@link KvErrorCode#retryable()}. */
  public boolean retryable() {
    return code.retryable();
  }
}
