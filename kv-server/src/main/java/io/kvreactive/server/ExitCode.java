package io.kvreactive.server;

/** The exit codes of the command. Codes are stable. */
public final class ExitCode {
  public static final int OK = 0;

  /**
   * The key does not exist, a check failed, the server is not ready, or the server cannot be
   * started.
   */
  public static final int NO = 1;

  /** The command line, the input or the configuration is invalid. */
  public static final int USAGE = 2;

  /** The server cannot be reached, or rejects requests because it is starting or stopping. */
  public static final int UNREACHABLE = 3;

  /** The token is unknown or does not allow the operation. */
  public static final int REFUSED = 4;

  /** The server or the store failed. */
  public static final int FAILED = 5;

  private ExitCode() {}
}
