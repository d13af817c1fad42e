package io.kvreactive.examples.run;

import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** The output of an example: lines, and below them a status line that is updated on a terminal. */
public final class Screen {
  private static final String CLEAR_LINE = "\r\033[K";

  private final PrintStream out;
  private final PrintStream err;
  private final boolean terminal;
  private boolean statusShown;

  public Screen(PrintStream out, PrintStream err, boolean terminal) {
    this.out = out;
    this.err = err;
    this.terminal = terminal;
  }

  /** Returns the output of this process, in UTF-8 regardless of the locale. */
  public static Screen standard() {
    return new Screen(utf8(FileDescriptor.out), utf8(FileDescriptor.err), isTerminal());
  }

  private static PrintStream utf8(FileDescriptor descriptor) {
    return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
  }

  /**
   * Returns true if the output is a terminal. Since JDK 22 a console may exist without a terminal,
   * and can be asked.
   */
  @SuppressWarnings("SystemConsoleNull") // null up to JDK 21; later releases are asked below
  private static boolean isTerminal() {
    Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (ReflectiveOperationException e) {
      return true;
    }
  }

  public boolean terminal() {
    return terminal;
  }

  /** Prints a line, formatted if there are arguments. */
  public synchronized void line(String format, Object... args) {
    clearStatus();
    out.println(args.length == 0 ? format : String.format(Locale.ROOT, format, args));
  }

  /** Shows a status in place of the previous one; prints a line where lines cannot be updated. */
  public synchronized void status(String text) {
    if (terminal) {
      out.print(CLEAR_LINE + text);
      out.flush();
      statusShown = true;
    } else {
      out.println(text);
    }
  }

  public synchronized void error(String text) {
    clearStatus();
    err.println("error: " + text);
  }

  private void clearStatus() {
    if (statusShown) {
      out.print(CLEAR_LINE);
      statusShown = false;
    }
  }
}
