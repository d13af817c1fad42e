package io.kvreactive.server;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The compiled classes in the form with the fastest start: jars, and an archive of classes shared
 * by the processes of a test run. Without support for archives, processes use jars only.
 */
final class SharedClasses {
  private static final long SECONDS = 300;
  private static final String QUIET =
      "-Xlog:disable"; // warnings about classes that are not in the archive
  private static final List<String> FLAGS = make();

  private SharedClasses() {}

  /** Returns the flags for the class path and, if it exists, the archive. */
  static List<String> flags() {
    return FLAGS;
  }

  private static List<String> make() {
    try {
      Path folder = Files.createTempDirectory("kv-classes");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder), "kv-classes"));
      List<String> plain = List.of("-cp", classPath(folder));
      Path archive = folder.resolve("kv.jsa");
      if (!archived(plain, archive, folder)) {
        return plain;
      }
      List<String> all = new ArrayList<>(plain);
      all.addAll(List.of("-XX:SharedArchiveFile=" + archive, QUIET));
      return List.copyOf(all);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
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

  /** Runs a command that dumps its loaded classes. */
  private static boolean archived(List<String> classes, Path archive, Path folder)
      throws IOException {
    List<String> command = KvProcess.java();
    command.addAll(List.of("-XX:ArchiveClassesAtExit=" + archive, QUIET));
    command.addAll(classes);
    command.add(KvProcess.MAIN);
    command.addAll(
        List.of("set", "a", "1", "--create", "--path", folder.resolve("store").toString()));
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      return process.waitFor(SECONDS, TimeUnit.SECONDS)
          && process.exitValue() == 0
          && Files.exists(archive);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      process.destroyForcibly();
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
