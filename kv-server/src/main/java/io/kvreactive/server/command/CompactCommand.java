package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.Target;
import picocli.CommandLine.Command;

/** {@code kv compact}. */
@Command(
    name = "compact",
    description = "Releases the disk space of deleted keys of a store in use.")
final class CompactCommand extends JobCommand {
  @Override
  int run(Target target) {
    ObjectNode last = job(target, Target.Job.COMPACT, null, "copied");
    print(last, "%s -> %s bytes".formatted(last.path("bytesBefore"), last.path("bytesAfter")));
    return ExitCode.OK;
  }
}
