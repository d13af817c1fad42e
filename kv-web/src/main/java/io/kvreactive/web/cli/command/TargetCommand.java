package io.kvreactive.web.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.web.cli.ExitCode;
import io.kvreactive.web.cli.client.Target;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A command on a store, which is a server's or that of a directory. */
abstract class TargetCommand extends KvCommand {
  @Option(
      names = "--path",
      paramLabel = "DIR",
      description = "the store of this directory, which no server has open; instead of --url")
  @Nullable Path path;

  @Option(
      names = "--progress",
      negatable = true,
      description = "tell on standard error how far it is (default: on a terminal)")
  @Nullable Boolean progress;

  @Override
  final int run() {
    try (Target target = connection.open(path, mayCreate(), allowsLazy(), out::message)) {
      return run(target);
    }
  }

  abstract int run(Target target);

  /** Whether a directory without a store gets one. */
  boolean mayCreate() {
    return false;
  }

  /** Whether collections of a directory may get the indexing mode lazy. */
  boolean allowsLazy() {
    return false;
  }

  /** Whether progress is shown: {@code ./kv} tells by a property whether there is a terminal. */
  final boolean showsProgress() {
    return progress == null ? Boolean.getBoolean("kv.progress") : progress;
  }

  /** Tells the commit, or which checks failed. */
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

  /** Key and value of an entry, with a tab between them, as JSON. */
  static String text(JsonNode entry) {
    JsonNode value = entry.path("value");
    return value.isMissingNode() ? entry.path("key").toString() : entry.path("key") + "\t" + value;
  }
}
