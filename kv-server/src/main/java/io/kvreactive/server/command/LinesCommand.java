package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.CliJson;
import io.kvreactive.server.client.Target;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** A command that stores the lines of a file and reports progress. */
abstract class LinesCommand extends TargetCommand {
  /** Returns the property of the progress that counts stored entries or items. */
  abstract String counted();

  /** Returns the file; null or {@code -} for standard input. */
  abstract @Nullable Path file();

  abstract void store(Target target, InputStream lines, Consumer<ObjectNode> progress);

  @Override
  final int run(Target target) {
    ObjectNode[] last = {CliJson.object().put(counted(), 0).put("bytes", 0)};
    try (InputStream in = open(file())) {
      store(
          target,
          in,
          progress -> {
            last[0] = progress;
            if (showsProgress()) {
              out.progress(text(progress));
            }
          });
    } catch (IOException e) {
      throw CliException.of("the input cannot be read", e);
    } finally {
      if (showsProgress()) {
        out.progressDone();
      }
    }
    print(last[0], text(last[0]));
    return ExitCode.OK;
  }

  private String text(ObjectNode progress) {
    return progress.path(counted()) + " " + counted();
  }

  private static InputStream open(@Nullable Path file) throws IOException {
    if (file == null || file.toString().equals("-")) {
      return System.in;
    }
    InputStream in = Files.newInputStream(file);
    return file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in;
  }
}
