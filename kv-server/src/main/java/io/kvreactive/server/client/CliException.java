package io.kvreactive.server.client;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.server.ExitCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Objects;

/** An error that ends the command with one line on standard error and an exit code. */
public final class CliException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  public CliException(int exitCode, String text) {
    super(text, null, false, false);
    this.exitCode = exitCode;
  }

  /** Returns the exception for a failure of a local store, or for invalid input of one. */
  public static CliException of(KvError failure) {
    return failure.code() == KvErrorCode.LOCKED
        ? new CliException(
            ExitCode.USAGE,
            failure.detail() + " (LOCKED); if a server has opened the store, use --url")
        : of(failure.code().name(), failure.detail());
  }

  /**
   * Creates the exception for an error of a server.
   *
   * @param code the stable code
   */
  public static CliException of(String code, String detail) {
    return new CliException(ExitCodeMapper.of(code), detail + " (" + code + ")");
  }

  /**
   * Creates the exception for a file that cannot be read or written.
   *
   * @param what the attempted operation and its file
   */
  public static CliException of(String what, IOException failure) {
    return new CliException(ExitCodeMapper.of(failure), what + ": " + reason(failure));
  }

  /**
   * Creates the exception for a file that cannot be read or written, for a failure inside a stream.
   */
  public static CliException of(String what, UncheckedIOException failure) {
    return of(what, Objects.requireNonNull(failure.getCause(), "the cause is an IOException"));
  }

  /**
   * Returns a sentence about a query with the position of its error.
   *
   * @param start the position, from 0
   */
  static String at(String sentence, int start) {
    return sentence.replaceFirst("\\.$", "") + " at character " + (start + 1);
  }

  private static String reason(IOException failure) {
    if (failure instanceof NoSuchFileException missing) {
      return "no such file or directory: " + missing.getFile();
    }
    if (failure instanceof AccessDeniedException denied) {
      return "access to " + denied.getFile() + " denied";
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
