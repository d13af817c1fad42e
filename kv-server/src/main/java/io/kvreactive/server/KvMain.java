package io.kvreactive.server;

import io.kvreactive.server.command.ClientCommands;
import io.kvreactive.server.serve.ServeCommand;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;

/** The {@code kv} command. */
@Command(
    name = "kv",
    mixinStandardHelpOptions = true,
    versionProvider = KvMain.Version.class,
    description = {
      "A server of kv-reactive stores, and a client of it.",
      "",
      "A KEY has parts between slashes: users/ada has two strings, orders/7 a string and a number. "
          + "It may also be JSON, '[\"orders\",7]'. A VALUE is JSON (docs/json.md).",
      ""
    },
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:the key does not exist, a check failed, verify found problems, not ready; serve: cannot"
          + " start",
      "2:the command line or the input is invalid",
      "3:the server cannot be reached, or is starting or stopping",
      "4:the token is unknown, or does not allow the operation",
      "5:the server or the store failed"
    })
public final class KvMain {
  /** The character with which Java replaces undecodable bytes of an argument. */
  private static final char REPLACEMENT = '\uFFFD';

  private static final int MAX_SLIPS = 2;

  /** Provides the version of the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"kv " + BuildInfo.ofThisProgram().version()};
    }
  }

  private KvMain() {}

  public static void main(String[] args) {
    int code = run(args);
    if (args.length > 0 && args[0].equals("serve")) {
      System.exit(code);
    }
    // the answer is printed, and an open store is closed: nothing is left that a hook would do
    System.out.flush();
    System.err.flush();
    // HotSpot delays its exit by 300 ms while a thread is in a system call: the selector of the
    // HTTP client leaves its own when it is interrupted
    Thread.currentThread().getThreadGroup().interrupt();
    Runtime.getRuntime().halt(code);
  }

  /** Runs a command and returns its exit code. */
  static int run(String... args) {
    for (String arg : args) {
      if (arg.indexOf(REPLACEMENT) >= 0) {
        System.err.println(
            "kv: an argument has bytes that are not text in the encoding "
                + System.getProperty("sun.jnu.encoding")
                + " (expected: UTF-8 with LC_ALL=C.UTF-8; in JSON \\ufffd for that character)");
        return ExitCode.USAGE;
      }
    }
    return commandLine(args.length > 0 ? args[0] : "").execute(args);
  }

  /**
   * Returns the command line.
   *
   * @param first the name of the command that will be run. If it is a client command, the others
   *     are left out, which saves most of the time of a short command
   */
  static CommandLine commandLine(String first) {
    CommandLine line = new CommandLine(new KvMain());
    Class<?> only = ClientCommands.named(first);
    if (only != null) {
      line.addSubcommand(only);
    } else {
      line.addSubcommand(ServeCommand.line());
      ClientCommands.commands().forEach(line::addSubcommand);
    }
    line.getSubcommands()
        .values()
        .forEach(each -> each.getCommandSpec().versionProvider(new Version()));
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setParameterExceptionHandler(KvMain::wrong);
    return line;
  }

  /**
   * Returns the commands that begin with a text, or else one that differs from it by a slip or two;
   * empty if there are none.
   */
  private static String similar(String typed, CommandLine line) {
    Set<String> names = line.getSubcommands().keySet();
    String command = line.getCommandSpec().qualifiedName() + " ";
    String begun =
        names.stream()
            .filter(name -> name.startsWith(typed))
            .map(command::concat)
            .collect(Collectors.joining(" or "));
    return begun.isEmpty()
        ? names.stream()
            .filter(name -> slips(typed, name) <= Math.min(MAX_SLIPS, typed.length() - 1))
            .min(Comparator.comparingInt(name -> slips(typed, name)))
            .map(command::concat)
            .orElse("")
        : begun;
  }

  /**
   * Returns the number of letters that are missing, superfluous, wrong or swapped (the optimal
   * string alignment distance).
   */
  private static int slips(String a, String b) {
    int[][] slips = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          slips[i][j] = i + j;
          continue;
        }
        int wrong = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        slips[i][j] =
            Math.min(slips[i - 1][j - 1] + wrong, Math.min(slips[i - 1][j], slips[i][j - 1]) + 1);
        boolean swapped =
            i > 1
                && j > 1
                && a.charAt(i - 1) == b.charAt(j - 2)
                && a.charAt(i - 2) == b.charAt(j - 1);
        if (swapped) {
          slips[i][j] = Math.min(slips[i][j], slips[i - 2][j - 2] + 1);
        }
      }
    }
    return slips[a.length()][b.length()];
  }

  /**
   * Prints a line with the error, suggestions, and a line that refers to the help. Returns the exit
   * code.
   */
  private static int wrong(ParameterException failure, String[] args) {
    CommandLine line = failure.getCommandLine();
    PrintWriter err = line.getErr();
    if (failure instanceof CommandLine.UnmatchedArgumentException unmatched
        && !unmatched.isUnknownOption()
        && !line.getSubcommands().isEmpty()) {
      String typed = unmatched.getUnmatched().get(0);
      String similar = similar(typed, line);
      err.println("kv: unknown command " + Terminals.clean(typed));
      if (!similar.isEmpty()) {
        err.println("Did you mean: " + similar + "?");
      }
    } else {
      err.println(
          "kv: " + Terminals.clean(String.valueOf(failure.getMessage()).replace('\n', ' ')));
      if (line.getCommand() instanceof ServeCommand && List.of(args).contains("--create")) {
        err.println("kv serve creates stores that do not exist. Omit --create.");
      } else {
        CommandLine.UnmatchedArgumentException.printSuggestions(failure, err);
      }
    }
    err.println("Try '" + line.getCommandSpec().qualifiedName() + " --help'.");
    return ExitCode.USAGE;
  }
}
