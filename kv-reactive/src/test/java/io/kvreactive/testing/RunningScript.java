package io.kvreactive.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A process that prints lines and reads lines. */
public final class RunningScript implements AutoCloseable {
  private static final long TIMEOUT_SECONDS = 120;
  private static final String END = "\0";

  private final Process process;
  private final Path errors;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

  private RunningScript(Process process, Path errors) {
    this.process = process;
    this.errors = errors;
    Thread reader = new Thread(this::readLines, "script-" + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Starts the script.
   *
   * @param work the working directory, which also gets the error output
   */
  public static RunningScript start(
      List<String> command, Path work, Map<String, String> environment) {
    try {
      Path errors = Files.createTempFile(work, "err", ".txt");
      ProcessBuilder builder =
          new ProcessBuilder(command).directory(work.toFile()).redirectError(errors.toFile());
      builder.environment().putAll(environment);
      return new RunningScript(builder.start(), errors);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void readLines() {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.add(line);
      }
    } catch (IOException e) {
      lines.add("cannot be read: " + e);
    }
    lines.add(END);
  }

  /** Returns the next line of output; waits for it. */
  public String line() throws InterruptedException {
    String line = lines.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    if (line == null || line.equals(END)) {
      throw new AssertionError((line == null ? "says nothing" : "has ended") + "\n" + errors());
    }
    return line;
  }

  /** Waits for a line, and skips earlier lines. */
  public void awaitLine(String expected) throws InterruptedException {
    while (!line().equals(expected)) {
      // another one
    }
  }

  /** Writes a line to it. */
  public void tell(String line) throws IOException {
    process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
  }

  /** Waits for the end. Fails if the exit code is not 0. */
  public void awaitEnd() throws InterruptedException {
    if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new AssertionError("did not end well\n" + errors());
    }
  }

  private String errors() {
    try {
      return Files.readString(errors);
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
