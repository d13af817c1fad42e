package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.CliJson;
import io.kvreactive.server.client.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kv atomic}. */
@Command(
    name = "atomic",
    description = {
      "Commits checks, mutations and enqueues atomically; exits with 1 if a check fails.",
      "The operation is JSON in the format of POST /api/v1/atomic, for example",
      "  {\"checks\":[{\"key\":[\"n\"],\"versionstamp\":null}],",
      "   \"mutations\":[{\"type\":\"set\",\"key\":[\"n\"],\"value\":1}]}"
    })
final class AtomicCommand extends TargetCommand {
  @Parameters(
      arity = "0..1",
      defaultValue = "-",
      paramLabel = "OPERATION",
      description = "JSON, or - for standard input (the default)")
  String operation = "-";

  @Option(names = "--file", paramLabel = "FILE", description = "read the operation from a file")
  @Nullable Path file;

  @Mixin CreateFlag creation = new CreateFlag();

  @Override
  int run(Target target) {
    if (file != null && !operation.equals("-")) {
      throw new CliException(ExitCode.USAGE, "OPERATION and --file (expected: one of them)");
    }
    JsonNode json =
        operation.equals("-")
            ? CliJson.typed("the operation", input(file))
            : CliJson.typed("the operation", operation);
    if (!(json instanceof ObjectNode object)) {
      throw new CliException(ExitCode.USAGE, "the operation is not a JSON object");
    }
    return committed(target.atomic(object));
  }

  private static byte[] input(@Nullable Path file) {
    try {
      return file == null ? System.in.readAllBytes() : Files.readAllBytes(file);
    } catch (IOException e) {
      throw CliException.of("the operation cannot be read", e);
    }
  }
}
