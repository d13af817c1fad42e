package io.kvreactive.web.cli;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The command as users run it: a process of its own, with what has been compiled. */
final class KvProcess implements AutoCloseable {
  /** How a process ended. */
  record Result(int exit, String out, String err) {}

  private static final long SECONDS = 120;

  private final Process process;
  private final BufferedReader out;
  private final Path err;

  private KvProcess(Process process, Path err) {
    this.process = process;
    this.err = err;
    this.out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  static List<String> command(String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath(),
                "io.kvreactive.web.cli.KvMain"));
    command.addAll(1, flagsOfThisJava());
    command.addAll(List.of(arguments));
    return command;
  }

  /** What newer Javas need lest they warn, as in {@code ./kv}. */
  private static List<String> flagsOfThisJava() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(each -> each.startsWith("--enable-native") || each.startsWith("--sun-misc-unsafe"))
        .toList();
  }

  /** Without what is there for tests, such as a configuration of the log. */
  private static String classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(each -> !each.endsWith("test-classes"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  static KvProcess start(Map<String, String> environment, String... arguments) throws IOException {
    Path err = Files.createTempFile("kv", ".err");
    ProcessBuilder builder = new ProcessBuilder(command(arguments)).redirectError(err.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("KV_"));
    builder.environment().putAll(environment);
    return new KvProcess(builder.start(), err);
  }

  static Result run(Map<String, String> environment, String input, String... arguments)
      throws Exception {
    try (KvProcess kv = start(environment, arguments)) {
      kv.process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
      kv.process.getOutputStream().close();
      return kv.end();
    }
  }

  static Result run(String... arguments) throws Exception {
    return run(Map.of(), "", arguments);
  }

  Process process() {
    return process;
  }

  /** The next line of output; null at its end. */
  String line() throws IOException {
    return out.readLine();
  }

  String err() throws IOException {
    return Files.readString(err);
  }

  /** Waits for the end. */
  Result end() throws Exception {
    String rest = String.join("\n", out.lines().toList());
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("still running: " + err());
    }
    return new Result(process.exitValue(), rest, err());
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    out.close();
    Files.deleteIfExists(err);
  }
}
