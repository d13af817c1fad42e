package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.Target;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A command on the store of a server or of a directory. */
abstract class TargetCommand extends KvCommand {
  @Option(
      names = "--path",
      paramLabel = "DIR",
      description = "directory of a store that no server has open; instead of --url")
  @Nullable Path path;

  @Option(
      names = "--old-values",
      description =
          "with --path, keep and read previous values for change feeds, as kv serve --old-values"
              + " does (KV_OLD_VALUES)")
  @Nullable Boolean oldValues;

  @Option(
      names = "--progress",
      negatable = true,
      description = "print progress on standard error (default: on a terminal)")
  @Nullable Boolean progress;

  /** True if the command may create a store in the directory; see {@link CreateFlag}. */
  boolean creates;

  /** The target of the shell that runs this command; null for a command of its own. */
  @Nullable Target shared;

  @Override
  final int run() {
    if (shared != null) {
      return run(shared);
    }
    try (Target target = open()) {
      return run(target);
    }
  }

  private Target open() {
    if (path == null && Boolean.TRUE.equals(oldValues)) {
      throw new CliException(
          ExitCode.USAGE,
          "--old-values without --path (expected: --path, or kv serve --old-values)");
    }
    boolean keeps =
        oldValues == null ? Boolean.parseBoolean(System.getenv("KV_OLD_VALUES")) : oldValues;
    return connection.open(path, creates, allowsLazy(), keeps, out::message);
  }

  abstract int run(Target target);

  /** Returns true if collections of a directory may use the indexing mode lazy. */
  boolean allowsLazy() {
    return false;
  }

  /** Returns true if progress is printed. */
  final boolean showsProgress() {
    return progress == null ? isOnTerminal() : progress;
  }

  /** Returns the file that was given as an argument or by a flag. */
  static @Nullable Path oneOf(@Nullable Path argument, @Nullable Path flag) {
    if (argument != null && flag != null) {
      throw new CliException(ExitCode.USAGE, "FILE and --file (expected: one of them)");
    }
    return argument == null ? flag : argument;
  }

  /** Prints the result of a commit, or the failed checks, and returns the exit code. */
  final int committed(ObjectNode result) {
    if (result.path("committed").asBoolean()) {
      print(result, result.path("versionstamp").asText());
      return ExitCode.OK;
    }
    print(result, "");
    if (!json()) {
      out.message("nothing was changed: checks " + result.path("failedChecks") + " failed");
    }
    return ExitCode.NO;
  }

  /** Prints an object in the selected format: as text, a line for each member, by its path. */
  final void printMembers(ObjectNode object) {
    if (json()) {
      out.line(object);
    } else {
      printMembers("", object);
    }
  }

  private void printMembers(String prefix, JsonNode object) {
    for (Map.Entry<String, JsonNode> member : object.properties()) {
      String name = prefix + member.getKey();
      JsonNode value = member.getValue();
      if (value.isObject()) {
        printMembers(name + ".", value);
      } else {
        out.line(name + "\t" + (value.isTextual() ? value.asText() : value.toString()));
      }
    }
  }

  /** Returns key and value of an entry as JSON, separated by a tab. */
  static String text(JsonNode entry) {
    JsonNode value = entry.path("value");
    return value.isMissingNode() ? entry.path("key").toString() : entry.path("key") + "\t" + value;
  }
}
