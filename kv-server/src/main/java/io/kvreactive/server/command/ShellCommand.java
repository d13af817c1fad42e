package io.kvreactive.server.command;

import io.kvreactive.server.client.Target;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code kv shell}. */
@Command(
    name = "shell",
    description = {
      "An interactive session: all commands without kv, and SQL.",
      "Tab completes commands, keys and collections. The history is kept in ~/.kv_history.",
      "Without a terminal, lines are read from standard input."
    })
final class ShellCommand extends TargetCommand {
  @Mixin CreateFlag creation = new CreateFlag();

  @Override
  int run(Target target) {
    return new ShellSession(target, connection).run();
  }
}
