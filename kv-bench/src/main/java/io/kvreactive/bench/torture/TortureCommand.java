package io.kvreactive.bench.torture;

import picocli.CommandLine.Command;

/** The tests that run for minutes and break what the store stands on. */
@Command(
    name = "torture",
    mixinStandardHelpOptions = true,
    description = "Breaks what a store stands on, and checks that nothing was lost.",
    subcommands = FailoverCommand.class)
public final class TortureCommand {
  private TortureCommand() {}
}
