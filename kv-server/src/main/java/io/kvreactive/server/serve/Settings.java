package io.kvreactive.server.serve;

import io.kvreactive.server.Units;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * The effective settings, merged from the configuration file, the environment and the flags, in
 * order of increasing precedence. Of alternatives, such as a token and a token file, the one with
 * the highest precedence is used.
 */
final class Settings {
  private static final Set<String> ONLY_FLAGS = Set.of("print-config");
  private static final Set<String> SECRETS = Set.of("token", "url");

  /** Settings whose variables would mean something else to clients without a prefix. */
  private static final Set<String> ALSO_OF_CLIENTS = Set.of("token", "token-file", "url");

  private static final List<Set<String>> ALTERNATIVES =
      List.of(Set.of("path", "memory"), Set.of("token", "token-file"));
  private static final String CONFIG = "config";
  private static final String DEFAULT = "default";
  private static final String MASK = "***";

  /**
   * A value and its source.
   *
   * @param text the text of the value
   * @param origin the file and line, the variable or the flag
   */
  record Value(String text, String origin) {}

  private final CommandLine parsed;
  private final ServeFlags flags;
  private final Map<String, Value> values;

  private Settings(CommandLine parsed, ServeFlags flags, Map<String, Value> values) {
    this.parsed = parsed;
    this.flags = flags;
    this.values = values;
  }

  /**
   * Merges all sources.
   *
   * @throws ConfigException if a value is invalid; the message names its source
   */
  static Settings of(ParseResult given, Map<String, String> environment) {
    Map<String, Value> byFlags = new LinkedHashMap<>();
    for (OptionSpec option : options(given.commandSpec())) {
      if (given.hasMatchedOption(option)) {
        byFlags.put(name(option), new Value(text(option), option.longestName()));
      }
    }
    Map<String, Value> byVariables = new TreeMap<>();
    for (OptionSpec option : options(given.commandSpec())) {
      String variable = variable(name(option));
      String value = environment.get(variable);
      if (value != null && !value.isEmpty() && !ONLY_FLAGS.contains(name(option))) {
        byVariables.put(name(option), new Value(value, variable));
      }
    }
    Value config = byFlags.getOrDefault(CONFIG, byVariables.get(CONFIG));
    Map<String, Value> byFile =
        config == null
            ? Map.of()
            : ConfigFile.read(Path.of(config.text()), inFile(given.commandSpec()));
    return parse(merge(List.of(byFile, byVariables, byFlags)));
  }

  private static List<OptionSpec> options(CommandSpec spec) {
    return spec.options().stream().filter(option -> !option.usageHelp()).toList();
  }

  private static Set<String> inFile(CommandSpec spec) {
    return options(spec).stream()
        .map(Settings::name)
        .filter(name -> !ONLY_FLAGS.contains(name) && !name.equals(CONFIG))
        .collect(Collectors.toSet());
  }

  /** Returns the name of the environment variable of a flag. */
  static String variable(String name) {
    String prefix = ALSO_OF_CLIENTS.contains(name) ? "KV_SERVER_" : "KV_";
    return prefix + name.toUpperCase(Locale.ROOT).replace('-', '_');
  }

  private static String name(OptionSpec option) {
    return option.longestName().replaceFirst("^--", "");
  }

  private static Map<String, Value> merge(List<Map<String, Value>> sources) {
    Map<String, Value> merged = new TreeMap<>();
    for (Map<String, Value> source : sources) {
      for (Set<String> alternatives : ALTERNATIVES) {
        List<Value> said =
            alternatives.stream()
                .sorted()
                .filter(source::containsKey)
                .map(source::get)
                .filter(value -> !value.text().equals("false"))
                .toList();
        if (said.size() > 1) {
          throw new ConfigException(
              said.get(0).origin() + " and " + said.get(1).origin() + " (expected: one of them)");
        }
        if (!said.isEmpty()) {
          merged.keySet().removeAll(alternatives);
        }
      }
      merged.putAll(source);
    }
    return merged;
  }

  private static Settings parse(Map<String, Value> values) {
    List<String> arguments = new ArrayList<>();
    values.forEach((name, value) -> arguments.add("--" + name + "=" + value.text()));
    ServeFlags flags = new ServeFlags();
    CommandLine line = new CommandLine(flags).setCaseInsensitiveEnumValuesAllowed(true);
    line.setTrimQuotes(false);
    try {
      line.parseArgs(arguments.toArray(String[]::new));
    } catch (ParameterException e) {
      throw new ConfigException(origin(e.getArgSpec(), values) + e.getMessage());
    }
    return new Settings(line, flags, values);
  }

  private static String origin(@Nullable ArgSpec wrong, Map<String, Value> values) {
    Value value = wrong instanceof OptionSpec option ? values.get(name(option)) : null;
    return value == null ? "" : value.origin() + ": ";
  }

  private static String text(OptionSpec option) {
    List<String> written = option.originalStringValues();
    return written.isEmpty() ? "true" : String.join(",", written);
  }

  ServeFlags flags() {
    return flags;
  }

  /** Returns the source of a setting, for messages. */
  String origin(String name) {
    Value value = values.get(name);
    return value == null ? DEFAULT : value.origin();
  }

  /**
   * Rejects settings that have no effect.
   *
   * @param prefix the beginning of their names
   * @param expected the setting with which they have one
   * @throws ConfigException if the value of one is not the default
   */
  void reject(String prefix, String expected) {
    CommandSpec usual = new CommandLine(new ServeFlags()).getCommandSpec();
    for (OptionSpec option : options(parsed.getCommandSpec())) {
      String name = name(option);
      Object value = option.getValue();
      if (name.startsWith(prefix)
          && !Objects.equals(value, usual.findOption(option.longestName()).getValue())) {
        throw new ConfigException(
            "%s: %s (expected: %s)".formatted(origin(name), shown(name, value), expected));
      }
    }
  }

  /**
   * Returns the effective settings as a configuration file. Settings that such a file cannot have
   * are comments: secrets, which are masked, the file itself, and overridden alternatives.
   */
  String print() {
    StringBuilder text = new StringBuilder();
    Map<String, OptionSpec> sorted = new TreeMap<>();
    options(parsed.getCommandSpec()).forEach(option -> sorted.put(name(option), option));
    sorted.keySet().removeAll(ONLY_FLAGS);
    sorted.forEach(
        (name, option) -> {
          String shown = shown(name, option.getValue());
          boolean comment = shown.isEmpty() || !mayBeRead(name);
          text.append("%s%s: %s  # %s%n".formatted(comment ? "# " : "", name, shown, origin(name)));
        });
    return text.toString();
  }

  /** Returns true if a configuration file may have this property beside the other settings. */
  private boolean mayBeRead(String name) {
    return !SECRETS.contains(name)
        && !name.equals(CONFIG)
        && !(name.equals("path") && flags.memory);
  }

  private static String shown(String name, @Nullable Object value) {
    if (value == null || (value instanceof Collection<?> all && all.isEmpty())) {
      return "";
    }
    if (SECRETS.contains(name)) {
      return "\"" + MASK + "\"";
    }
    if (value instanceof Duration time) {
      return Units.text(time);
    }
    return value instanceof Number || value instanceof Boolean || value instanceof Enum<?>
        ? value.toString()
        : com.fasterxml.jackson.databind.node.JsonNodeFactory.instance
            .textNode(
                value instanceof Collection<?> all
                    ? all.stream().map(Object::toString).collect(Collectors.joining(","))
                    : value.toString())
            .toString();
  }
}
