package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvException;
import io.kvreactive.KvStores;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.JsonViews;
import io.kvreactive.server.client.Target;
import io.kvreactive.server.serve.LogSetup;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code kv verify}. */
@Command(
    name = "verify",
    description = {
      "Reads a whole store and prints its problems; exits with 1 if there are any.",
      "DIR is the directory of a closed store or of a backup, and is not changed.",
      "Recent commits are in the log only, until a checkpoint writes them to the image. Both are "
          + "read and compared, and keys are counted in the image."
    })
final class VerifyCommand extends KvCommand {
  @Parameters(arity = "0..1", paramLabel = "DIR", description = "default: the server's store")
  @Nullable Path directory;

  @picocli.CommandLine.Option(names = "--path", paramLabel = "DIR", description = "the same as DIR")
  @Nullable Path path;

  @Override
  int run() {
    Path offline = directory == null ? path : directory;
    ObjectNode report;
    try (ProgressLine line = new ProgressLine(isOnTerminal(), "verify", "", 1, () -> -1)) {
      report = offline == null ? online(line) : offline(offline, line);
    }
    return printResult(report);
  }

  private ObjectNode online(ProgressLine line) {
    try (Target target = connection.open(null, false, false, false, out::message)) {
      ObjectNode[] last = new ObjectNode[1];
      target.run(
          Target.Job.VERIFY,
          null,
          report -> {
            show(report, line);
            last[0] = report;
          });
      return Objects.requireNonNullElseGet(
          last[0],
          () -> {
            throw new CliException(ExitCode.UNREACHABLE, "the server ended the operation");
          });
    }
  }

  private static ObjectNode offline(Path directory, ProgressLine line) {
    LogSetup.quiet();
    try {
      ObjectNode report =
          KvStores.verify(directory)
              .map(JsonViews::report)
              .doOnNext(findings -> show(findings, line))
              .blockLast();
      return Objects.requireNonNull(report, "a report");
    } catch (KvException e) {
      throw CliException.of(e);
    }
  }

  private static void show(ObjectNode report, ProgressLine line) {
    line.expects(report.path("expected").asLong());
    line.at(report.path("pages").asLong() + report.path("keys").asLong());
  }

  private int printResult(ObjectNode report) {
    boolean sound = report.path("sound").asBoolean();
    if (json()) {
      out.line(report);
    } else {
      report.path("problems").forEach(problem -> out.line(text("", problem)));
      report.path("notes").forEach(note -> out.line(text("note: ", note)));
      out.line(
          sound
              ? "sound: %s in the image, %s in the log, up to %s"
                  .formatted(
                      Plurals.of(report.path("keys").asLong(), "keys"),
                      Plurals.of(report.path("commits").asLong(), "commits"),
                      report.path("last").asText())
              : Plurals.of(report.path("problemCount").asLong(), "problems"));
    }
    return sound ? ExitCode.OK : ExitCode.NO;
  }

  private static String text(String kind, JsonNode problem) {
    return "%s%s%s%s%s: %s (expected: %s)"
        .formatted(
            kind,
            problem.path("kind").asText(),
            problem.has("file") ? " " + problem.path("file").asText() : "",
            problem.has("offset") ? " at offset " + problem.path("offset") : "",
            problem.has("key") ? " key " + problem.path("key") : "",
            problem.path("what").asText(),
            problem.path("expected").asText());
  }
}
