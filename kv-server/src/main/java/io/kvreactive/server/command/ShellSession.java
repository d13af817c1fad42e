package io.kvreactive.server.command;

import io.kvreactive.server.ExitCode;
import io.kvreactive.server.OwnerOnlyFile;
import io.kvreactive.server.Terminals;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.Target;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.reader.impl.DefaultParser;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** One session of {@code kv shell}: reads lines and runs them as commands on one open store. */
final class ShellSession {
  private static final Pattern FROM = Pattern.compile("(?i)\\bFROM\\s+([A-Za-z_][A-Za-z0-9_-]*)");
  private static final int LISTED = 100;

  private final Target target;
  private final ConnectionFlags connection;
  private final CliOutput out = new CliOutput();
  private @Nullable String collection;
  private boolean interactive;

  ShellSession(Target target, ConnectionFlags connection) {
    this.target = target;
    this.connection = connection;
  }

  /** Runs the session. Returns 0, or without a terminal the exit code of the last failed line. */
  int run() {
    try {
      return KvCommand.hasConsole() ? ofTerminal() : ofLines();
    } catch (IOException e) {
      throw CliException.of("the terminal cannot be used", e);
    }
  }

  private int ofLines() throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    int code = ExitCode.OK;
    String line = in.readLine();
    while (line != null && !isEnd(line.strip())) {
      int result = execute(line.strip());
      code = result == ExitCode.OK ? code : result;
      line = in.readLine();
    }
    return code;
  }

  private int ofTerminal() throws IOException {
    interactive = true;
    try (Terminal terminal = TerminalBuilder.builder().system(true).build()) {
      LineReaderBuilder builder =
          LineReaderBuilder.builder()
              .appName("kv")
              .terminal(terminal)
              .parser(new DefaultParser().quoteChars(new char[0]).escapeChars(null))
              .completer(new ShellCompleter(target))
              .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true);
      Path history = Path.of(System.getProperty("user.home"), ".kv_history");
      try {
        OwnerOnlyFile.prepare(history); // its lines have values
        builder.variable(LineReader.HISTORY_FILE, history);
      } catch (IOException e) {
        out.message("the history is not kept: " + CliException.of(history.toString(), e).text());
      }
      LineReader reader = builder.build();
      Thread thread = Thread.currentThread();
      terminal.writer().println("Type help for the commands, and exit or Ctrl-D to leave.");
      while (true) {
        String line;
        try {
          String prompt = collection == null ? "kv> " : "kv " + collection + "> ";
          line = reader.readLine(Terminals.clean(prompt)).strip();
        } catch (UserInterruptException e) {
          continue;
        } catch (EndOfFileException e) {
          return ExitCode.OK;
        }
        if (isEnd(line)) {
          return ExitCode.OK;
        }
        var before = terminal.handle(Terminal.Signal.INT, signal -> thread.interrupt());
        var unused = execute(line);
        terminal.handle(Terminal.Signal.INT, before);
        boolean cleared = Thread.interrupted();
        if (cleared) {
          out.message("interrupted");
        }
      }
    }
  }

  private static boolean isEnd(String line) {
    return line.equals("exit") || line.equals("quit");
  }

  /** Runs a line, and returns its exit code. */
  int execute(String line) {
    if (line.isEmpty() || line.startsWith("#")) {
      return ExitCode.OK;
    }
    if (line.toLowerCase(Locale.ROOT).startsWith("select")) {
      return guarded(() -> query(line));
    }
    List<String> words = words(line);
    String name = words.get(0);
    List<String> arguments = words.subList(1, words.size());
    if (name.equals("help")) {
      help();
      return ExitCode.OK;
    }
    if (name.equals("use")) {
      collection = arguments.isEmpty() ? null : arguments.get(0);
      return ExitCode.OK;
    }
    Class<?> command = ClientCommands.named(name);
    if (command == null) {
      out.message("unknown command " + name + " (help lists them)");
      return ExitCode.USAGE;
    }
    return guarded(() -> run(command, arguments));
  }

  private int guarded(IntSupplier command) {
    try {
      return command.getAsInt();
    } catch (CliException e) {
      out.message(e.text());
      return e.exitCode();
    } catch (RuntimeException e) { // an interrupted wait of a command, for which types differ
      out.message(Thread.currentThread().isInterrupted() ? "interrupted" : String.valueOf(e));
      return ExitCode.FAILED;
    }
  }

  private int query(String sql) {
    String name = collection;
    Matcher from = FROM.matcher(sql);
    if (from.find() && names().contains(from.group(1))) {
      name = from.group(1);
    }
    if (name == null) {
      throw new CliException(
          ExitCode.USAGE, "no collection to ask (expected: use NAME before, or FROM NAME)");
    }
    return run(QueryCommand.class, List.of(name, sql));
  }

  private List<String> names() {
    List<String> names = new ArrayList<>();
    target.documents().list(each -> names.add(each.path("name").asText()));
    return names;
  }

  private int run(Class<?> command, List<String> arguments) {
    CommandLine line = new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true);
    line.setExecutionStrategy(
        parsed -> {
          CommandLine.ParseResult leaf = parsed;
          while (leaf.hasSubcommand()) {
            leaf = leaf.subcommand();
          }
          share(leaf);
          return new CommandLine.RunLast().execute(parsed);
        });
    line.setParameterExceptionHandler(
        (failure, given) -> {
          out.message(String.valueOf(failure.getMessage()).replace('\n', ' '));
          return ExitCode.USAGE;
        });
    return line.execute(arguments.toArray(String[]::new));
  }

  /** Gives a command the store of the session. */
  private void share(CommandLine.ParseResult leaf) {
    Object command = leaf.commandSpec().userObject();
    if (!(command instanceof KvCommand kv)) {
      return;
    }
    kv.connection = connection;
    if (interactive && !leaf.hasMatchedOption("-o")) {
      kv.form = KvCommand.Form.TABLE;
    }
    if (command instanceof TargetCommand of && of.path == null) {
      of.shared = target;
    }
    if (interactive && command instanceof ListCommand list && list.limit == Long.MAX_VALUE) {
      list.limit = LISTED;
    }
  }

  private void help() {
    out.line("SELECT ...         rows of a collection, named by use or after FROM");
    out.line("use NAME           selects the collection");
    for (Class<?> command : ClientCommands.commands()) {
      CommandLine.Command about = command.getAnnotation(CommandLine.Command.class);
      if (ClientCommands.named(about.name()) != null) {
        out.line("%-18s %s".formatted(about.name(), String.join(" ", about.description())));
      }
    }
    out.line("exit               leaves; COMMAND --help tells more");
    out.line("list prints the first " + LISTED + " entries unless it has --limit.");
    out.flush();
  }

  /**
   * Splits a line at spaces that are neither in quotes nor in brackets. Double quotes stay, because
   * they are part of JSON; single quotes are removed.
   */
  static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    int depth = 0;
    char quote = 0;
    boolean any = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (quote == '"' && c == '\\' && i + 1 < line.length()) {
        word.append(c).append(line.charAt(++i));
      } else if (quote != 0) {
        if (c != quote || quote == '"') {
          word.append(c);
        }
        quote = c == quote ? 0 : quote;
      } else if (c == '"' || (c == '\'' && depth == 0)) {
        quote = c;
        any = true;
        if (c == '"') {
          word.append(c);
        }
      } else if (Character.isWhitespace(c) && depth == 0) {
        if (any || !word.isEmpty()) {
          words.add(word.toString());
        }
        word.setLength(0);
        any = false;
      } else {
        depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        depth = Math.max(0, depth);
        word.append(c);
      }
    }
    if (any || !word.isEmpty()) {
      words.add(word.toString());
    }
    return words;
  }
}
