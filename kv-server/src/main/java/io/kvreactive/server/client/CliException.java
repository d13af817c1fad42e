package io.kvreactive.server.client;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.server.ExitCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Objects;

/** An error that ends the command with a line on standard error and an exit code. */
public final class CliException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  public CliException(int exitCode, String text) {
    super(text, null, false, false);
    this.exitCode = exitCode;
  }

  /** Returns the exception for a failure of a local store, or for invalid input of one. */
  public static CliException of(KvException failure) {
    return failure.code() == KvErrorCode.LOCKED
        ? new CliException(
            ExitCode.USAGE,
            failure.detail() + " (LOCKED); while a server has it, ask the server (--url)")
        : of(failure.code().name(), failure.detail());
  }

  /** Returns the exception for an error of a server, which has a stable code. */
  public static CliException of(String code, String detail) {
    return new CliException(ExitCodeMapper.of(code), detail + " (" + code + ")");
  }

  /**
   * Returns the exception for a file that cannot be read or written.
   *
   * @param what the attempted operation and its file
   */
  public static CliException of(String what, IOException failure) {
    return new CliException(ExitCodeMapper.of(failure), what + ": " + reason(failure));
  }

  /** Returns the exception for a file that cannot be read or written, from inside a stream. */
  public static CliException of(String what, UncheckedIOException failure) {
    return of(what, Objects.requireNonNull(failure.getCause(), "it wraps one"));
  }

  private static String reason(IOException failure) {
    if (failure instanceof NoSuchFileException missing) {
      return "there is no " + missing.getFile();
    }
    if (failure instanceof AccessDeniedException denied) {
      return "access to " + denied.getFile() + " is denied";
    }
    return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
  }

  public int exitCode() {
    return exitCode;
  }

  public String text() {
    return String.valueOf(getMessage());
  }
}
