package io.kvreactive.server.command;

import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliJson;
import io.kvreactive.server.client.Target;
import picocli.CommandLine.Command;

/** {@code kv databases}. */
@Command(
    name = "databases",
    description = {
      "Prints the names of the databases that the token permits, open or not.",
      "A command works on one of them with --url http://HOST:PORT/db/NAME."
    })
final class DatabasesCommand extends TargetCommand {
  @Override
  int run(Target target) {
    target.databases().forEach(name -> print(CliJson.object().put("name", name), name));
    return ExitCode.OK;
  }
}
