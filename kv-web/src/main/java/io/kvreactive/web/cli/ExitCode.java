package io.kvreactive.web.cli;

/** What the command exits with; stable. */
public final class ExitCode {
  public static final int OK = 0;

  /** The key is absent, a check failed, the server is not ready, or cannot be started. */
  public static final int NO = 1;

  /** The command line, the input or the configuration is wrong. */
  public static final int USAGE = 2;

  /** The server cannot be reached, or takes no requests: it is being started or stopped. */
  public static final int UNREACHABLE = 3;

  /** The server does not know the token, or the token does not allow this. */
  public static final int REFUSED = 4;

  /** The server or the store failed. */
  public static final int FAILED = 5;

  private ExitCode() {}
}
