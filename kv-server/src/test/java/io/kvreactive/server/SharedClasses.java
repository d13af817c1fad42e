package io.kvreactive.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The compiled classes in the form with the fastest start: jars, and an archive of classes shared
 * by the processes of a test run.
 */
final class SharedClasses {
  private static final String QUIET =
      "-Xlog:disable"; // warnings about classes that are not in the archive
  private static final List<String> FLAGS = make();

  private SharedClasses() {}

  /** Returns the flags for the class path and the archive. */
  static List<String> flags() {
    return FLAGS;
  }

  private static List<String> make() {
    try {
      Path folder = Files.createTempDirectory("kv-classes");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder), "kv-classes"));
      List<String> flags = new ArrayList<>(List.of("-cp", classPath(folder), QUIET));
      Path archive = folder.resolve("kv.jsa");
      archive(flags, archive, folder.resolve("store"));
      flags.add("-XX:SharedArchiveFile=" + archive);
      return List.copyOf(flags);
    } catch (Exception e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * Returns the class path without test resources such as a log configuration, and with one class
   * of the tests.
   */
  private static String classPath(Path folder) throws IOException {
    return program(folder) + File.pathSeparator + jar(commandLoop(folder), folder);
  }

  private static Path commandLoop(Path folder) throws IOException {
    Path classes = folder.resolve("command-loop");
    String name = CommandLoop.class.getName().replace('.', '/') + ".class";
    Path file = classes.resolve(name);
    Files.createDirectories(file.getParent());
    try (InputStream in = CommandLoop.class.getClassLoader().getResourceAsStream(name)) {
      Files.copy(Objects.requireNonNull(in), file);
    }
    return classes;
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
  private static void archive(List<String> flags, Path archive, Path store) throws Exception {
    List<String> command = KvProcess.java();
    command.addAll(flags);
    command.addAll(List.of("-XX:ArchiveClassesAtExit=" + archive, KvProcess.MAIN, "serve"));
    command.addAll(List.of("--port", "0", "--token", ServedProcess.TOKEN, "--path", "" + store));
    try (ServedProcess server = ServedProcess.of(KvProcess.launch(Map.of(), command))) {
      assertThat(server.send("PUT", "/api/v1/entry?key=%5B1%5D", "1").statusCode()).isEqualTo(200);
      server.terminate();
      assertThat(server.process.end().exit()).isZero();
    }
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      // the process of an aborted test still writes; the folder is temporary
    }
  }
}
