package io.kvreactive.server.command;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The completion script for fish, made from the commands like picocli's script for bash. It also
 * completes the names of collections and databases, for which it runs {@code kv}.
 */
final class FishCompletion {
  private static final String FUNCTIONS =
      """
      # the words before the cursor, without options
      function __kv_words
          set -l words
          for word in (commandline -opc)[2..]
              string match -q -- '-*' $word; or set -a words $word
          end
          echo "$words"
      end
      function __kv_after # exactly these words
          test "$(__kv_words)" = "$argv"
      end
      function __kv_in # these words, and any others
          string match -q -- "$argv *" "$(__kv_words) "
      end
      function __kv_names # the first column of the output of a command
          set -l kv (commandline -opc)[1]
          $kv $argv 2>/dev/null | string replace -r '\\t.*' ''
      end
      complete -c kv -f
      """;

  private final List<String> lines = new ArrayList<>();

  /** Returns the script for a command with all of its subcommands. */
  static String of(CommandLine root) {
    FishCompletion script = new FishCompletion();
    script.add(root, "");
    return FUNCTIONS + String.join("\n", script.lines) + "\n";
  }

  private void add(CommandLine command, String path) {
    CommandSpec spec = command.getCommandSpec();
    for (Map.Entry<String, CommandLine> each : command.getSubcommands().entrySet()) {
      String name = each.getKey();
      String[] about = each.getValue().getCommandSpec().usageMessage().description();
      line("__kv_after", path, " -a " + name + described(about));
      add(each.getValue(), (path + " " + name).strip());
    }
    if (!path.isEmpty()) {
      spec.options().forEach(option -> add(path, option));
      spec.positionalParameters().stream().findFirst().ifPresent(first -> add(path, first));
    }
  }

  private void add(String path, OptionSpec option) {
    StringBuilder line = new StringBuilder();
    for (String name : option.names()) {
      line.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
    }
    if (option.arity().min() > 0) {
      String values = values(path, option);
      line.append(values.isEmpty() ? " -x" : values);
    }
    line("__kv_in", path, line + described(option.description()));
    if (option.negatable()) {
      line("__kv_in", path, " -l no-" + option.longestName().substring(2));
    }
  }

  private void add(String path, PositionalParamSpec first) {
    String values = values(path, first);
    if (!values.isEmpty()) {
      line("__kv_after", path, values.replaceFirst("^ -[rx]", " -"));
    }
  }

  /** Returns the flags for the values of an option or argument; empty if they are unknown. */
  private static String values(String path, ArgSpec argument) {
    if (argument.completionCandidates() != null) {
      return " -xa '"
          + String.join(" ", argument.completionCandidates()).toLowerCase(Locale.ROOT)
          + "'";
    }
    if (argument.type() == Path.class) {
      return " -rF";
    }
    boolean isName = argument.paramLabel().equals("NAME");
    if (isName && path.matches("query|item .*|collection (?!create).*")) {
      return " -xa '(__kv_names collection list)'";
    }
    return isName && argument instanceof OptionSpec option && option.longestName().contains("data")
        ? " -xa '(__kv_names databases)'"
        : "";
  }

  private static String described(String[] description) {
    String text = description.length == 0 ? "" : description[0];
    int end = text.indexOf(". ");
    String first = end < 0 ? text : text.substring(0, end);
    return " -d '" + first.replaceAll("\\.$", "").replace("\\", "\\\\").replace("'", "\\'") + "'";
  }

  private void line(String condition, String path, String flags) {
    lines.add("complete -c kv -n '%s %s'%s".formatted(condition, path, flags));
  }
}
