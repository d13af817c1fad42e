package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.server.client.Target;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kv import}. */
@Command(
    name = "import",
    description = {
      "Stores entries from lines of JSON (docs/json.md). Other entries are kept. Repeating it is "
          + "safe."
    })
final class ImportCommand extends LinesCommand {
  @Parameters(
      arity = "0..1",
      paramLabel = "FILE",
      description = "compressed if its name ends in .gz (default: standard input)")
  @Nullable Path file;

  @Option(names = "--file", paramLabel = "FILE", description = "the same as FILE")
  @Nullable Path flag;

  @Mixin CreateFlag creation = new CreateFlag();

  @Override
  String counted() {
    return "entries";
  }

  @Override
  @Nullable Path file() {
    return oneOf(file, flag);
  }

  @Override
  void store(Target target, InputStream lines, long first, Consumer<ObjectNode> progress) {
    target.importLines(lines, first, progress);
  }
}
