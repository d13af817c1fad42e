package io.kvreactive.examples.run;

import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Where an example prints: lines, and below them one line of status that a terminal updates. */
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

  /** This process's, in UTF-8 whatever the locale. */
  public static Screen standard() {
    return new Screen(utf8(FileDescriptor.out), utf8(FileDescriptor.err), isTerminal());
  }

  private static PrintStream utf8(FileDescriptor descriptor) {
    return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
  }

  /** Since JDK 22 there may be a console without a terminal; only newer ones can be asked. */
  @SuppressWarnings("SystemConsoleNull") // up to JDK 21 it is null; what comes later is asked
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

  /** Prints a line, formatted when there are arguments. */
  public synchronized void line(String format, Object... args) {
    clearStatus();
    out.println(args.length == 0 ? format : String.format(Locale.ROOT, format, args));
  }

  /** Shows a status in place of the last one; a plain line where lines cannot be updated. */
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
