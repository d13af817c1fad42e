package io.kvreactive.server;

import java.io.BufferedReader;
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

/** The command in a separate process of the compiled classes, as users run it. */
final class KvProcess implements AutoCloseable {
  /** Exit code and output of a process. */
  record Result(int exit, String out, String err) {}

  static final String MAIN = "io.kvreactive.server.KvMain";

  /** The variables of all commands. */
  static final Map<String, String> ENVIRONMENT = Map.of("KV_CREATE", "true"); // stores of --path

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
    return command(MAIN, arguments);
  }

  /** Returns the command of Java that runs a class. */
  static List<String> command(String main, String[] arguments) {
    List<String> command = java();
    command.addAll(SharedClasses.flags());
    command.add(main);
    command.addAll(List.of(arguments));
    return command;
  }

  /** Java with options for a fast start. */
  static List<String> java() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flagsOfThisJava());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("-Dio.netty.jfr.enabled=false"); // as in ./kv
    return command;
  }

  /** Returns the flags that suppress warnings of newer Java versions, as in {@code ./kv}. */
  private static List<String> flagsOfThisJava() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(each -> each.startsWith("--enable-native") || each.startsWith("--sun-misc-unsafe"))
        .toList();
  }

  static KvProcess start(Map<String, String> environment, String... arguments) throws IOException {
    return launch(environment, command(arguments));
  }

  /** Starts a process by another command, which gets the command line of this one as arguments. */
  static KvProcess start(Map<String, String> environment, List<String> prefix, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(command(arguments));
    return launch(environment, command);
  }

  /** Starts a process whose files cannot grow beyond a size, as on a full disk. */
  static KvProcess startWithSmallFiles(int kibibytes, String... arguments) throws IOException {
    return start(
        Map.of(), List.of("sh", "-c", "ulimit -f $0; exec \"$@\"", "" + 2 * kibibytes), arguments);
  }

  /** Starts a process by a command of its own. */
  static KvProcess launch(Map<String, String> environment, List<String> command)
      throws IOException {
    Path err = Files.createTempFile("kv", ".err");
    Process process = builder(environment, command).redirectError(err.toFile()).start();
    return new KvProcess(process, err);
  }

  /** Returns the builder of a process whose environment has no other settings of {@code kv}. */
  static ProcessBuilder builder(Map<String, String> environment, List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeIf(name -> name.startsWith("KV_"));
    builder.environment().putAll(ENVIRONMENT);
    builder.environment().putAll(environment);
    return builder;
  }

  static Result run(Map<String, String> environment, String input, String... arguments)
      throws Exception {
    return run(environment, input.getBytes(StandardCharsets.UTF_8), arguments);
  }

  static Result run(Map<String, String> environment, byte[] input, String... arguments)
      throws Exception {
    try (KvProcess kv = start(environment, arguments)) {
      kv.process.getOutputStream().write(input);
      kv.process.getOutputStream().close();
      return kv.end();
    }
  }

  /** Runs a process by another command, which gets the command line of this one as arguments. */
  static Result run(List<String> prefix, String input, String... arguments) throws Exception {
    try (KvProcess kv = start(Map.of(), prefix, arguments)) {
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

  /** Returns the next line of output; null at its end. */
  String line() throws IOException {
    return out.readLine();
  }

  String err() throws IOException {
    return Files.readString(err);
  }

  /** Waits for the end of the process. */
  Result end() throws Exception {
    String rest = String.join("\n", out.lines().toList());
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("still running: " + err());
    }
    return new Result(process.exitValue(), rest, err());
  }

  /** Kills the process, and waits until it has ended and its locks are released. */
  @Override
  public void close() throws IOException {
    process.destroyForcibly().onExit().join();
    out.close();
    Files.deleteIfExists(err);
  }
}
