package io.kvreactive.server.command;

import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliJson;
import io.kvreactive.server.client.Target;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code kv count}. */
@Command(name = "count", description = "Prints the number of keys of a range, or of all keys.")
final class CountCommand extends TargetCommand {
  @Mixin RangeFlags keys = new RangeFlags();

  @Override
  int run(Target target) {
    long count = target.count(keys.range());
    print(CliJson.object().put("count", count), Long.toString(count));
    return ExitCode.OK;
  }
}
