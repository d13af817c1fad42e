package io.kvreactive.server.command;

import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.Target;
import picocli.CommandLine.Command;

/** {@code kv info}. */
@Command(
    name = "info",
    description = {
      "Prints the version of the server, the id and the limits of the database, and the rights of",
      "the token. A restored database has another databaseId."
    })
final class InfoCommand extends TargetCommand {
  @Override
  int run(Target target) {
    printMembers(target.info());
    return ExitCode.OK;
  }
}
