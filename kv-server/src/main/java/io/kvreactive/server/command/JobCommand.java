package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.CliJson;
import io.kvreactive.server.client.KeySelection;
import io.kvreactive.server.client.Target;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** A command that runs a {@link Target.Job}. */
abstract class JobCommand extends TargetCommand {
  /** Runs the job and returns its last line. */
  final ObjectNode job(Target target, Target.Job job, @Nullable Path directory, String counted) {
    ObjectNode[] last = {CliJson.object()};
    String task = job.name().toLowerCase(Locale.ROOT);
    try (ProgressLine line =
        new ProgressLine(
            showsProgress(),
            task,
            " keys",
            1,
            () -> target.count(new KeySelection(null, null, null)))) {
      target.run(
          job,
          directory,
          progress -> {
            last[0] = progress;
            line.at(progress.path(counted).asLong());
          });
    }
    if (!last[0].path("done").asBoolean()) {
      throw new CliException(ExitCode.UNREACHABLE, "the server ended the operation");
    }
    return last[0];
  }

  /** {@code kv backup}. */
  @Command(
      name = "backup",
      description = {
        "Writes a backup of a store in use, and prints its versionstamp.",
        "A server writes the backup on its own machine, below its --backup-dir."
      })
  static final class Backup extends JobCommand {
    @Parameters(paramLabel = "DIR", description = "directory to be created")
    Path directory = Path.of("");

    @Override
    int run(Target target) {
      ObjectNode last = job(target, Target.Job.BACKUP, directory, "entries");
      print(last, last.path("versionstamp").asText());
      return ExitCode.OK;
    }
  }

  /** {@code kv compact}. */
  @Command(
      name = "compact",
      description = "Releases the disk space of deleted keys of a store in use.")
  static final class Compact extends JobCommand {
    @Override
    int run(Target target) {
      ObjectNode last = job(target, Target.Job.COMPACT, null, "copied");
      print(last, "%s -> %s bytes".formatted(last.path("bytesBefore"), last.path("bytesAfter")));
      return ExitCode.OK;
    }
  }
}
