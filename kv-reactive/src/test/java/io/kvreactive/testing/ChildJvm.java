package io.kvreactive.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A main class of the test class path in a JVM of its own, with a heap of 256 MiB. The JVM ends
 * with the one that has started it, also if that is killed.
 */
public final class ChildJvm implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;

  /** Runs a main class, and ends the process when its parent has ended. */
  static final class WithParent {
    private WithParent() {}

    public static void main(String[] args) throws Exception {
      ProcessHandle.current()
          .parent()
          .ifPresent(parent -> parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1)));
      Method main = Class.forName(args[0]).getDeclaredMethod("main", String[].class);
      main.setAccessible(true);
      main.invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
    }
  }

  private ChildJvm(Process process) {
    this.process = process;
    this.output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  public static ChildJvm start(Class<?> main, String... args) throws IOException {
    return start(List.of(), main, "-Xmx256m", args);
  }

  /** Starts a child with another size of its heap. */
  public static ChildJvm withHeap(int mebibytes, Class<?> main, String... args) throws IOException {
    return start(List.of(), main, "-Xmx" + mebibytes + "m", args);
  }

  /**
   * Starts a child with a maximum number of open files and sockets. It does not end with its
   * parent, because looking for that takes a descriptor.
   */
  public static ChildJvm withDescriptors(int descriptors, Class<?> main, String... args)
      throws IOException {
    String limited = "ulimit -n " + descriptors + " && exec \"$@\"";
    return start(List.of("sh", "-c", limited, "sh"), main, "-Xmx256m", args);
  }

  private static ChildJvm start(List<String> prefix, Class<?> main, String heap, String... args)
      throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // the process ends after a second or two, which is too short for the C2 compiler
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add(heap);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    if (prefix.isEmpty()) {
      command.add(WithParent.class.getName());
    }
    command.add(main.getName());
    command.addAll(List.of(args));
    return new ChildJvm(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Returns the next line that the child prints; null when it has ended. */
  public String readLine() throws IOException {
    return output.readLine();
  }

  /**
   * Reads the lines of the child, kills it (kill -9) after some of them, and waits for its end.
   * Lines that it printed before the kill are still read; the last one may be cut off.
   *
   * @param lines the minimum number of lines before the kill
   */
  public void killAfter(int lines, Consumer<String> reader)
      throws IOException, InterruptedException {
    int[] seen = {0};
    killWhen(
        line -> {
          reader.accept(line);
          return ++seen[0] >= lines;
        });
    assertThat(seen[0]).as("lines before the child ended").isGreaterThanOrEqualTo(lines);
  }

  /** Like {@link #killAfter}, but kills the child at the first line that a predicate accepts. */
  public void killWhen(Predicate<String> isEnough) throws IOException, InterruptedException {
    String line;
    while ((line = readLine()) != null) {
      if (isEnough.test(line)) {
        close();
      }
    }
    waitFor();
  }

  /** Sends a signal, such as STOP or CONT. */
  public void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, "" + process.pid()).inheritIO().start().waitFor();
  }

  /** Ends the input of the child. */
  public void endInput() throws IOException {
    process.getOutputStream().close();
  }

  public int waitFor() throws InterruptedException {
    return process.waitFor();
  }

  @Override
  public void close() {
    process.toHandle().destroyForcibly(); // keeps the output readable, unlike the method of Process
  }
}
