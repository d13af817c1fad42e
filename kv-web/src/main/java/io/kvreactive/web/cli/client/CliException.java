package io.kvreactive.web.cli.client;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.web.cli.ExitCode;

/** Ends a command with a line on standard error and an exit code. */
public final class CliException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  public CliException(int exitCode, String text) {
    super(text, null, false, false);
    this.exitCode = exitCode;
  }

  /** Of a failure of a store, or of what was typed for one. */
  public static CliException of(KvException failure) {
    return of(failure.code().name(), failure.detail());
  }

  /** Of a failure with a stable code. */
  public static CliException of(String code, String detail) {
    int exit;
    if (code.equals("COLLECTION_NOT_FOUND")
        || code.equals("ITEM_NOT_FOUND")
        || code.equals("ETAG_MISMATCH")
        || code.endsWith("_EXISTS")) {
      exit = ExitCode.NO;
    } else if (code.equals("NOT_CHANGEABLE")
        || code.equals("ORDER_NOT_INDEXED")
        || code.startsWith("INVALID_")
        || code.equals("BAD_REQUEST")) {
      exit = ExitCode.USAGE;
    } else if (code.equals(KvErrorCode.UNAUTHENTICATED.name())
        || code.equals(KvErrorCode.FORBIDDEN.name())) {
      exit = ExitCode.REFUSED;
    } else if (code.equals(KvErrorCode.UNAVAILABLE.name())) {
      exit = ExitCode.UNREACHABLE;
    } else {
      exit = ExitCode.FAILED;
    }
    return new CliException(exit, detail + " (" + code + ")");
  }

  public int exitCode() {
    return exitCode;
  }

  public String text() {
    return String.valueOf(getMessage());
  }
}
