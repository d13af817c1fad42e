package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.Target;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code kv backup}. */
@Command(
    name = "backup",
    description = {
      "Writes a backup of a store in use, and prints its versionstamp.",
      "A server writes the backup on its own machine, below its --backup-dir."
    })
final class BackupCommand extends JobCommand {
  @Parameters(paramLabel = "DIR", description = "directory to be created")
  Path directory = Path.of("");

  @Override
  int run(Target target) {
    ObjectNode last = job(target, Target.Job.BACKUP, directory, "entries");
    print(last, last.path("versionstamp").asText());
    return ExitCode.OK;
  }
}
