package io.kvreactive.web;

import static org.assertj.core.api.Assertions.fail;

import io.kvreactive.testing.Installing;
import io.kvreactive.testing.RunningScript;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A compiled copy of {@code clients/typescript}. The compiler comes from {@code
 * ~/.cache/kv-reactive}, or is installed there by npm. If that fails, the test is skipped with the
 * reason; with CI=true it fails.
 */
public final class TypeScriptPackage {
  public static final Path SOURCE = DocumentBlocks.ROOT.resolve("clients").resolve("typescript");

  /** The options of a server for {@code test/program.ts}: its stores keep previous values. */
  public static final ServerOptions SERVER =
      ServerOptions.inMemory()
          .withOperations(OperationsOptions.DEFAULT.withStores(store -> store.withOldValues(true)));

  private final Path directory;

  private TypeScriptPackage(Path directory) {
    this.directory = directory;
  }

  /**
   * Copies the package with its development dependencies.
   *
   * @param work an existing directory
   */
  public static TypeScriptPackage copyTo(Path work) throws IOException {
    Path packages = packages(work);
    Path directory = Files.createDirectory(work.resolve("package"));
    try (Stream<Path> files = Files.walk(SOURCE)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path relative = SOURCE.relativize(file);
        if (!relative.toString().matches("(node_modules|dist|dist-test)\\b.*")) {
          Files.createDirectories(directory.resolve(relative).getParent());
          Files.copy(file, directory.resolve(relative));
        }
      }
    }
    Files.createSymbolicLink(directory.resolve("node_modules"), packages);
    return new TypeScriptPackage(directory);
  }

  /** Compiles the package and its tests. */
  public void compile() throws Exception {
    compile(".");
    compile("test");
  }

  private void compile(String project) throws Exception {
    // the declarations of the compiler itself are right
    String option = "--skipDefaultLibCheck";
    try (RunningScript tsc = node("node_modules/typescript/bin/tsc", "-p", project, option)) {
      try {
        tsc.awaitEnd();
      } catch (AssertionError e) {
        throw new AssertionError("tsc -p " + project + ": " + tsc.line(), e);
      }
    }
  }

  /** Starts a script of the package in Node; the caller must close it. */
  public RunningScript node(String script, String... arguments) {
    List<String> command = new ArrayList<>(List.of("node", directory.resolve(script).toString()));
    command.addAll(List.of(arguments));
    return RunningScript.start(command, directory, Map.of());
  }

  public Path directory() {
    return directory;
  }

  /** Installs the packages of the lock file, once for each of its contents. */
  private static Path packages(Path work) throws IOException {
    Path lock = SOURCE.resolve("package-lock.json");
    Path cache =
        Path.of(
            System.getProperty("user.home"),
            ".cache",
            "kv-reactive",
            "typescript-" + Integer.toHexString(Files.readString(lock).hashCode()));
    Path installed = cache.resolve("node_modules").resolve(".package-lock.json"); // written last
    String reason =
        Installing.alone(
            cache, () -> Files.exists(installed) ? "it is installed" : install(lock, cache, work));
    if (!Files.exists(installed)) {
      String message = "no TypeScript in " + cache + ", and npm says: " + reason;
      if ("true".equals(System.getenv("CI"))) {
        fail(message);
      }
      System.err.println("skipped: " + message);
      Assumptions.abort(message);
    }
    return cache.resolve("node_modules");
  }

  private static String install(Path lock, Path cache, Path work) {
    try {
      for (Path file : List.of(lock, lock.resolveSibling("package.json"))) {
        Files.write(cache.resolve(file.getFileName()), Files.readAllBytes(file));
      }
      List<String> command = List.of("npm", "ci", "--ignore-scripts", "--prefix", cache.toString());
      try (RunningScript npm = RunningScript.start(command, work, Map.of())) {
        npm.awaitEnd();
        return "it is installed";
      }
    } catch (AssertionError | IOException | UncheckedIOException e) {
      return e.toString();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return e.toString();
    }
  }
}
