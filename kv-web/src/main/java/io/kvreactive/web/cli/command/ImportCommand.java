package io.kvreactive.web.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.web.cli.ExitCode;
import io.kvreactive.web.cli.client.CliException;
import io.kvreactive.web.cli.client.Json;
import io.kvreactive.web.cli.client.Target;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code kv import}. */
@Command(
    name = "import",
    description = {
      "Stores entries from lines of JSON (docs/json.md). What is there beside them stays; doing it "
          + "again is safe."
    })
final class ImportCommand extends TargetCommand {
  @Parameters(
      arity = "0..1",
      paramLabel = "FILE",
      description = "compressed when it ends in .gz (default: standard input)")
  @Nullable Path file;

  @Override
  int run(Target target) {
    ObjectNode[] last = {Json.object().put("entries", 0).put("bytes", 0)};
    try (InputStream in = open()) {
      target.importLines(
          in,
          progress -> {
            last[0] = progress;
            if (showsProgress()) {
              out.progress(progress.path("entries") + " entries");
            }
          });
    } catch (IOException e) {
      throw CliException.of("the input cannot be read", e);
    } finally {
      if (showsProgress()) {
        out.progressDone();
      }
    }
    print(last[0], last[0].path("entries") + " entries");
    return ExitCode.OK;
  }

  private InputStream open() throws IOException {
    if (file == null) {
      return System.in;
    }
    InputStream in = Files.newInputStream(file);
    return file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in;
  }

  @Override
  boolean mayCreate() {
    return true;
  }
}
