package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.CliJson;
import io.kvreactive.server.client.KeySelection;
import io.kvreactive.server.client.Target;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A command that runs a {@link Target.Job}. */
abstract class JobCommand extends TargetCommand {
  /** Runs the job and returns its last line. */
  final ObjectNode job(Target target, Target.Job job, @Nullable Path directory, String counted) {
    ObjectNode[] last = {CliJson.object()};
    String task = job.name().toLowerCase(Locale.ROOT);
    try (ProgressLine line =
        new ProgressLine(
            showsProgress(),
            task,
            " keys",
            1,
            () -> target.count(new KeySelection(null, null, null)))) {
      target.run(
          job,
          directory,
          progress -> {
            last[0] = progress;
            line.at(progress.path(counted).asLong());
          });
    }
    if (!last[0].path("done").asBoolean()) {
      throw new CliException(ExitCode.UNREACHABLE, "the server ended the operation");
    }
    return last[0];
  }
}
