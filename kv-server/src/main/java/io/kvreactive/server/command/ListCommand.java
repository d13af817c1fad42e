package io.kvreactive.server.command;

import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.Target;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code kv list}. */
@Command(name = "list", description = "Prints entries in key order: key, tab, value, both as JSON.")
final class ListCommand extends TargetCommand {
  @Mixin RangeFlags keys = new RangeFlags();

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "maximum number of entries (default: all)")
  long limit = Long.MAX_VALUE;

  @Option(names = "--reverse", description = "in reverse order")
  boolean reverse;

  @Option(names = "--keys-only", description = "without values")
  boolean keysOnly;

  @Override
  int run(Target target) {
    if (limit < 1) {
      throw new CliException(ExitCode.USAGE, "--limit " + limit + " (expected: 1 or more)");
    }
    target.list(
        keys.range(),
        new Target.Listing(limit, reverse, keysOnly),
        entry -> row(entry, text(entry)));
    return ExitCode.OK;
  }
}
