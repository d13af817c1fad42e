package io.kvreactive.crash;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts main classes of the test class path in a JVM of their own. */
final class ChildJvm implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;

  private ChildJvm(Process process) {
    this.process = process;
    this.output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  static ChildJvm start(Class<?> main, List<String> jvmOptions, String... args) throws IOException {
    return start(List.of(), main, jvmOptions, args);
  }

  /** Starts a child that may have no more files and sockets open than that. */
  static ChildJvm withDescriptors(int descriptors, Class<?> main, String... args)
      throws IOException {
    String limited = "ulimit -n " + descriptors + " && exec \"$@\"";
    return start(List.of("sh", "-c", limited, "sh"), main, List.of("-Xmx256m"), args);
  }

  private static ChildJvm start(
      List<String> prefix, Class<?> main, List<String> jvmOptions, String... args)
      throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // it lives for a second or two: that is too short for the better compiler to pay
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(args));
    return new ChildJvm(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** The next line that the child prints; null when it has ended. */
  String readLine() throws IOException {
    return output.readLine();
  }

  /** Sends a signal, such as STOP or CONT. */
  void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, "" + process.pid()).inheritIO().start().waitFor();
  }

  /** Ends the input of the child. */
  void endInput() throws IOException {
    process.getOutputStream().close();
  }

  /** kill -9. */
  void kill() {
    process.toHandle().destroyForcibly(); // unlike the process, leaves its output to be read
  }

  int waitFor() throws InterruptedException {
    return process.waitFor();
  }

  @Override
  public void close() {
    kill();
  }
}
