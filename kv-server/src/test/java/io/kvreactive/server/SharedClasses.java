package io.kvreactive.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.DocumentBlocks;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The compiled classes in the form with the fastest start: jars, and an archive of classes shared
 * by the processes of all test runs until a class changes.
 */
final class SharedClasses {
  private static final String QUIET =
      "-Xlog:disable"; // warnings about classes that are not in the archive
  private static final String COMMAND_LOOP =
      CommandLoop.class.getName().replace('.', '/') + ".class";
  private static final Path TARGET = DocumentBlocks.ROOT.resolve("kv-server/target");
  private static final List<String> FLAGS = make();

  private SharedClasses() {}

  /** Returns the flags for the class path and the archive. */
  static List<String> flags() {
    return FLAGS;
  }

  private static List<String> make() {
    try (FileChannel others =
        FileChannel.open(
            Files.createDirectories(TARGET).resolve("kv-classes.lock"),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE)) {
      var unused = others.lock(); // another JVM may make them
      Path folder = TARGET.resolve("kv-classes");
      Path made = folder.resolve("flags");
      Path state = folder.resolve("state");
      if (!Files.exists(made) || !Files.readString(state).equals(state())) {
        delete(folder);
        Files.createDirectories(folder);
        Files.writeString(state, state());
        List<String> flags = new ArrayList<>(List.of("-cp", classPath(folder), QUIET));
        Path archive = folder.resolve("kv.jsa");
        archive(flags, archive);
        flags.add("-XX:SharedArchiveFile=" + archive);
        Files.write(made, flags);
      }
      return Files.readAllLines(made);
    } catch (Exception e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Returns the names, sizes and times of all classes. */
  private static String state() throws IOException {
    StringBuilder state = new StringBuilder(System.getProperty("java.home"));
    state.append(' ').append(Arrays.hashCode(commandLoop()));
    for (Path element : elements().filter(Files::exists).toList()) {
      try (Stream<Path> files = Files.walk(element)) {
        for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
          state.append('\n').append(file).append(' ').append(Files.size(file));
          state.append(' ').append(Files.getLastModifiedTime(file));
        }
      }
    }
    return state.toString();
  }

  /**
   * Returns the class path without test resources such as a log configuration, and with one class
   * of the tests.
   */
  private static String classPath(Path folder) throws IOException {
    Path classes = folder.resolve("command-loop");
    Path file = classes.resolve(COMMAND_LOOP);
    Files.createDirectories(file.getParent());
    Files.write(file, commandLoop());
    return program(folder) + File.pathSeparator + jar(classes, folder);
  }

  private static byte[] commandLoop() throws IOException {
    try (InputStream in = CommandLoop.class.getClassLoader().getResourceAsStream(COMMAND_LOOP)) {
      return Objects.requireNonNull(in).readAllBytes();
    }
  }

  private static String program(Path folder) {
    return elements()
        .map(each -> Files.isDirectory(each) ? jar(each, folder) : each)
        .map(Path::toString)
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Returns the elements of the class path, except for the classes and resources of tests. */
  static Stream<Path> elements() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(
            each ->
                !each.isEmpty()
                    && !each.endsWith("test-classes")
                    && !each.endsWith("/test")
                    && !each.endsWith("test/resources"))
        .map(Path::of);
  }

  private static Path jar(Path classes, Path folder) {
    Path jar =
        folder.resolve(
            classes.toAbsolutePath().toString().replaceAll("[^A-Za-z0-9]+", "-") + ".jar");
    int failed =
        ToolProvider.findFirst("jar")
            .orElseThrow()
            .run(
                System.out,
                System.err,
                "--create",
                "--no-compress",
                "--file=" + jar,
                "-C",
                classes.toString(),
                ".");
    if (failed != 0) {
      throw new AssertionError(classes + " cannot be put into a jar");
    }
    return jar;
  }

  /** Runs a server that answers a request and dumps its loaded classes when it ends. */
  private static void archive(List<String> flags, Path archive) throws Exception {
    List<String> command = KvProcess.java();
    command.addAll(flags);
    command.addAll(List.of("-XX:ArchiveClassesAtExit=" + archive, KvProcess.MAIN, "serve"));
    command.addAll(List.of("--port", "0", "--token", ServedProcess.TOKEN));
    command.addAll(List.of("--path", archive.resolveSibling("store").toString()));
    try (ServedProcess server = ServedProcess.of(KvProcess.launch(Map.of(), command))) {
      assertThat(server.send("PUT", "/api/v1/entry?key=%5B1%5D", "1").statusCode()).isEqualTo(200);
      server.terminate();
      assertThat(server.process.end().exit()).isZero();
    }
  }

  /** Deletes a folder or a file. */
  static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      // a process still writes
    }
  }
}
