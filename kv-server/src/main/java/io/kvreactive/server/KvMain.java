package io.kvreactive.server;

import io.kvreactive.server.command.ClientCommands;
import io.kvreactive.server.serve.ServeCommand;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
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
      "A KEY is a path of strings, users/ada, or JSON for parts of all kinds, '[\"orders\",7]'; "
          + "a VALUE is JSON (docs/json.md).",
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

  /** Provides the version of the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      @Nullable String version = KvMain.class.getPackage().getImplementationVersion();
      return new String[] {"kv " + (version == null ? "(not from a jar)" : version)};
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
      line.addSubcommand(new ServeCommand());
      ClientCommands.commands().forEach(line::addSubcommand);
    }
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setParameterExceptionHandler(KvMain::wrong);
    return line;
  }

  /**
   * Prints a line with the error, suggestions, and a line that refers to the help. Returns the exit
   * code.
   */
  private static int wrong(ParameterException failure, String[] args) {
    CommandLine line = failure.getCommandLine();
    PrintWriter err = line.getErr();
    err.println("kv: " + String.valueOf(failure.getMessage()).replace('\n', ' '));
    CommandLine.UnmatchedArgumentException.printSuggestions(failure, err);
    err.println("Try '" + line.getCommandSpec().qualifiedName() + " --help'.");
    return ExitCode.USAGE;
  }
}
