package io.kvreactive.bench.torture;

import picocli.CommandLine.Command;

/** Tests of several minutes that break the processes, disks and networks below a store. */
@Command(
    name = "torture",
    mixinStandardHelpOptions = true,
    description =
        "Breaks the processes, disks and networks below a store, and checks that nothing was lost.",
    subcommands = FailoverCommand.class)
public final class TortureCommand {
  private TortureCommand() {}
}
