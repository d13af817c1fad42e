package io.kvreactive;

/**
 * The error of a failed call: a stable code, a readable text, and whether the call may be retried.
 * All exceptions for callers implement it: {@link KvException}, and those of collections and of the
 * server.
 *
 * <p>Programs decide by code, never by class or text. Codes of the same name mean the same.
 */
public interface KvError {
  /** Returns the stable code. */
  Code code();

  /** Returns the text without the code: the offending value and the expectation. */
  String detail();

  /** Returns true if the same call may succeed later, unchanged; see {@link Code#retryable()}. */
  default boolean retryable() {
    return code().retryable();
  }

  /** Returns true if {@code failure} is an error with this code. */
  static boolean is(Throwable failure, Code code) {
    return failure instanceof KvError error && error.code() == code;
  }

  /** Returns true if {@code failure} is an error after which the same call may succeed later. */
  static boolean isRetryable(Throwable failure) {
    return failure instanceof KvError error && error.retryable();
  }

  /** A stable code. A code never changes its meaning; new ones may be added. */
  interface Code {
    /** Returns the name, which is the code in JSON, logs and metrics. */
    String name();

    /**
     * Returns true if the same call may succeed later, unchanged. Nothing was applied by the failed
     * call.
     */
    boolean retryable();
  }
}
