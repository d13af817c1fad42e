package io.kvreactive.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts commands of this program in child JVMs. */
public final class ChildJvm {
  private ChildJvm() {}

  /**
   * Starts a command in a child JVM with this JVM's options and additional ones. The standard error
   * of the child is that of this JVM.
   */
  public static Process start(List<String> jvmOptions, List<String> command) throws IOException {
    return start(jvmOptions, System.getProperty("java.class.path"), command);
  }

  /**
   * Starts a command in a child JVM with another class path, this JVM's options and additional
   * ones. The standard error of the child is that of this JVM.
   */
  public static Process start(List<String> jvmOptions, String classPath, List<String> command)
      throws IOException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    line.addAll(jvmOptions);
    line.addAll(List.of("-cp", classPath, BenchMain.class.getName()));
    line.addAll(command);
    return new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /**
   * Runs a command to its end and returns the lines that it printed.
   *
   * @throws IOException if the exit status is not 0
   */
  public static List<String> run(List<String> jvmOptions, List<String> command) throws IOException {
    return lines(start(jvmOptions, command), String.join(" ", command));
  }

  /**
   * Waits for the end of a process and returns the lines that it printed.
   *
   * @param what the command, for messages
   * @throws IOException if the exit status is not 0
   */
  public static List<String> lines(Process process, String what) throws IOException {
    List<String> lines;
    try (var out = process.inputReader()) {
      lines = out.lines().toList();
    }
    try {
      int status = process.waitFor();
      if (status != 0) {
        throw new IOException("exit status " + status + " of: " + what);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted: " + what, e);
    }
    return lines;
  }
}
