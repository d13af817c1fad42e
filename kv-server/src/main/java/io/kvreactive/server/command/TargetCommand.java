package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.Target;
import java.nio.file.Path;
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
      names = "--progress",
      negatable = true,
      description = "print progress on standard error (default: on a terminal)")
  @Nullable Boolean progress;

  @Override
  final int run() {
    try (Target target = connection.open(path, mayCreate(), allowsLazy(), out::message)) {
      return run(target);
    }
  }

  abstract int run(Target target);

  /** Returns true if the command may create a store in the directory. */
  boolean mayCreate() {
    return false;
  }

  /** Returns true if collections of a directory may use the indexing mode lazy. */
  boolean allowsLazy() {
    return false;
  }

  /**
   * Returns true if progress is printed. By default, {@code ./kv} enables it on a terminal by a
   * property.
   */
  final boolean showsProgress() {
    return progress == null ? Boolean.getBoolean("kv.progress") : progress;
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

  /** Returns key and value of an entry as JSON, separated by a tab. */
  static String text(JsonNode entry) {
    JsonNode value = entry.path("value");
    return value.isMissingNode() ? entry.path("key").toString() : entry.path("key") + "\t" + value;
  }
}
