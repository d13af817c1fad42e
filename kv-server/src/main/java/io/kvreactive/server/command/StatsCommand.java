package io.kvreactive.server.command;

import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.Target;
import picocli.CommandLine.Command;

/** {@code kv stats}. */
@Command(name = "stats", description = "Prints the statistics of a store.")
final class StatsCommand extends TargetCommand {
  @Override
  int run(Target target) {
    printMembers(target.stats());
    return ExitCode.OK;
  }
}
