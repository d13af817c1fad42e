package io.kvreactive.server.command;

import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.Target;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.function.Consumer;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kv export}. */
@Command(
    name = "export",
    description = "Writes entries as lines of JSON (docs/json.md), read at one version.")
final class ExportCommand extends TargetCommand {
  private static final int EVERY = 10_000;

  @Mixin RangeFlags keys = new RangeFlags();

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description = "output file, replaced atomically; compressed if its name ends in .gz")
  @Nullable Path flag;

  @Parameters(arity = "0..1", paramLabel = "FILE", description = "the same as --file")
  @Nullable Path argument;

  @Override
  int run(Target target) {
    Path file = oneOf(argument, flag);
    long[] count = new long[1];
    boolean shown = showsProgress() && (file != null || !hasConsole());
    try (ProgressLine line =
        new ProgressLine(shown, "export", " entries", 1, () -> target.count(keys.range()))) {
      Consumer<String> counted =
          each -> {
            count[0]++;
            if (count[0] % EVERY == 0) {
              line.at(count[0]);
            }
          };
      if (file == null) {
        target.exportLines(keys.range(), counted.andThen(out::line));
      } else {
        toFile(target, file, counted);
      }
    }
    if (showsProgress()) {
      out.message(Plurals.of(count[0], "entries"));
    }
    return ExitCode.OK;
  }

  private void toFile(Target target, Path whole, Consumer<String> counted) {
    Path part = whole.resolveSibling(whole.getFileName() + ".part");
    try (OutputStream to = create(part)) {
      target.exportLines(
          keys.range(),
          counted.andThen(
              line -> {
                try {
                  to.write((line + "\n").getBytes(StandardCharsets.UTF_8));
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              }));
    } catch (IOException e) {
      throw CliException.of(part + " cannot be written", e);
    } catch (UncheckedIOException e) {
      throw CliException.of(part + " cannot be written", e);
    }
    try {
      Files.move(part, whole, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw CliException.of(whole + " cannot be written", e);
    }
  }

  private static OutputStream create(Path file) throws IOException {
    OutputStream to = new BufferedOutputStream(Files.newOutputStream(file));
    return file.getFileName().toString().endsWith(".gz.part") ? new GZIPOutputStream(to) : to;
  }
}
