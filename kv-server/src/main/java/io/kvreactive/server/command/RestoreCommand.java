package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvException;
import io.kvreactive.KvStores;
import io.kvreactive.RestoreOptions;
import io.kvreactive.RestoreResult;
import io.kvreactive.Versionstamp;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.CliJson;
import io.kvreactive.server.serve.LogSetup;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kv restore}. */
@Command(
    name = "restore",
    description = {
      "Creates a store from a backup, in a directory that is absent or empty.",
      "With --log it also applies the commits after the backup, up to the end of the log or to "
          + "--until."
    })
final class RestoreCommand extends KvCommand {
  @Parameters(index = "0", paramLabel = "BACKUP", description = "directory of the backup")
  Path backup = Path.of("");

  @Parameters(index = "1", paramLabel = "DIR", description = "directory to be created")
  Path directory = Path.of("");

  @Option(
      names = "--log",
      paramLabel = "DIR",
      description = "directory of the original store; not changed")
  @Nullable Path log;

  @Option(
      names = "--until",
      paramLabel = "TIME|VS",
      description = "last commit: a time such as 2026-11-20T09:59:00Z, or a versionstamp")
  @Nullable String until;

  @Override
  int run() {
    if (until != null && log == null) {
      throw new CliException(ExitCode.USAGE, "--until without --log (expected: both)");
    }
    LogSetup.quiet();
    try {
      RestoreOptions options = RestoreOptions.DEFAULT;
      if (log != null) {
        options = options.withLog(log);
      }
      if (until != null) {
        options = until(options, until);
      }
      RestoreResult result;
      try (ProgressLine line = new ProgressLine(isOnTerminal(), "restore", "", 1, () -> -1)) {
        line.says("copying " + backup);
        result =
            Objects.requireNonNull(
                KvStores.restore(backup, directory, options).block(), "a result");
      }
      printResult(result);
      return ExitCode.OK;
    } catch (KvException e) {
      throw CliException.of(e);
    }
  }

  private static RestoreOptions until(RestoreOptions options, String bound) {
    if (bound.matches("[0-9a-f]{20}")) {
      return options.until(Versionstamp.parse(bound));
    }
    try {
      return options.until(Instant.parse(bound));
    } catch (DateTimeParseException e) {
      throw new CliException(
          ExitCode.USAGE,
          "--until " + bound + " (expected: such as 2026-11-20T09:59:00Z, or a versionstamp)");
    }
  }

  private void printResult(RestoreResult result) {
    ObjectNode json =
        CliJson.object()
            .put("versionstamp", result.versionstamp().toString())
            .put("millis", result.time().toEpochMilli())
            .put("commitsOfLog", result.commitsOfLog());
    print(json, result.versionstamp() + " of " + result.time());
  }
}
