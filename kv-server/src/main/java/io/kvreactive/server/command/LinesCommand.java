package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.CliJson;
import io.kvreactive.server.client.Target;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A command that stores the lines of a file and reports progress. */
abstract class LinesCommand extends TargetCommand {
  @Option(
      names = "--from-line",
      paramLabel = "N",
      description =
          "omit the lines before this one, which an interrupted command has stored: its progress"
              + " shows the last stored line (default: ${DEFAULT-VALUE})")
  long fromLine = 1;

  /** Returns the property of the progress that counts stored entries or items. */
  abstract String counted();

  /** Returns the file; null or {@code -} for standard input. */
  abstract @Nullable Path file();

  /**
   * Stores lines.
   *
   * @param first the number of the first line to store, from 1
   */
  abstract void store(Target target, InputStream lines, long first, Consumer<ObjectNode> progress);

  @Override
  final int run(Target target) {
    if (fromLine < 1) {
      throw new CliException(ExitCode.USAGE, "from line: " + fromLine + " (expected: at least 1)");
    }
    ObjectNode[] last = {CliJson.object().put(counted(), 0).put("bytes", 0)};
    Path file = file();
    try (CountingInput read = new CountingInput(source(file));
        ProgressLine line =
            new ProgressLine(showsProgress(), counted(), " MiB", 1 << 20, () -> size(file));
        InputStream in = open(file, read)) {
      store(
          target,
          in,
          fromLine,
          progress -> {
            last[0] = progress;
            line.at(read.count());
            line.says("line " + progress.path("line").asLong());
          });
    } catch (IOException e) {
      throw CliException.of("the input cannot be read", e);
    }
    print(last[0], text(last[0]));
    return ExitCode.OK;
  }

  private String text(ObjectNode progress) {
    return Plurals.of(progress.path(counted()).asLong(), counted());
  }

  private static boolean isStandardInput(@Nullable Path file) {
    return file == null || file.toString().equals("-");
  }

  private static InputStream source(@Nullable Path file) throws IOException {
    return file == null || isStandardInput(file) ? System.in : Files.newInputStream(file);
  }

  /** Returns the size of the file in bytes, or -1 if it is unknown. */
  private static long size(@Nullable Path file) {
    try {
      return file == null || isStandardInput(file) ? -1 : Files.size(file);
    } catch (IOException e) {
      return -1;
    }
  }

  private static InputStream open(@Nullable Path file, InputStream in) throws IOException {
    return file != null && file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in;
  }

  /** Counts the bytes that are read, on any thread. */
  private static final class CountingInput extends FilterInputStream {
    private final AtomicLong count = new AtomicLong();

    CountingInput(InputStream in) {
      super(in);
    }

    long count() {
      return count.get();
    }

    @Override
    public int read() throws IOException {
      int read = super.read();
      count.addAndGet(read < 0 ? 0 : 1);
      return read;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int read = super.read(bytes, offset, length);
      count.addAndGet(Math.max(0, read));
      return read;
    }
  }
}
