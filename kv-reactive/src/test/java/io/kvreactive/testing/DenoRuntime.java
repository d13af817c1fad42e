package io.kvreactive.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * The real Deno 2.9.6: from PATH, from {@code ~/.cache/kv-reactive}, or installed there from npm.
 * If Deno is not available, the test is skipped with the reason; with CI=true it fails.
 */
public final class DenoRuntime {
  public static final String VERSION = "2.9.6";

  private static final long TIMEOUT_SECONDS = 120;

  private final Path executable;
  private final Path home;
  private final Map<String, String> environment = new HashMap<>();

  private DenoRuntime(Path executable, Path home) {
    this.executable = executable;
    this.home = home;
  }

  /**
   * Finds Deno, and copies the scripts of the test resources' {@code deno} folder.
   *
   * @param work an empty folder: home of the runtime and of the scripts
   */
  public static DenoRuntime in(Path work, String... scripts) {
    DenoRuntime deno = new DenoRuntime(find(work), work);
    for (String script : scripts) {
      try (InputStream source = DenoRuntime.class.getResourceAsStream("/deno/" + script)) {
        Files.copy(source, work.resolve(script));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return deno;
  }

  /** Sets an environment variable of all later scripts. */
  public DenoRuntime with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  /** Starts an endless script, which the caller must close. */
  public RunningScript start(String script, String... arguments) {
    return RunningScript.start(command(script, arguments), home, allOf(environment, home));
  }

  private List<String> command(String script, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(executable.toString());
    command.addAll(List.of("run", "-A", "--unstable-kv", "--no-prompt"));
    command.add(home.resolve(script).toString());
    command.addAll(List.of(arguments));
    return command;
  }

  private static Map<String, String> allOf(Map<String, String> environment, Path home) {
    Map<String, String> all = new HashMap<>(environment);
    all.put("HOME", home.toString());
    all.put("DENO_DIR", home.resolve("deno-dir").toString());
    all.put("DENO_NO_UPDATE_CHECK", "1");
    all.put("NO_COLOR", "1");
    return all;
  }

  /** Runs a script to its end and returns the printed lines. Fails if the exit code is not 0. */
  public List<String> run(String script, String... arguments) {
    List<String> command = command(script, arguments);
    Result result = run(command, home, environment);
    assertThat(result.exit)
        .withFailMessage(
            () -> String.join(" ", command) + "\nexit " + result.exit + "\n" + result.errors)
        .isZero();
    return result.output.lines().toList();
  }

  private static Path find(Path work) {
    for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
      if (isRightVersion(Path.of(folder, "deno"), work)) {
        return Path.of(folder, "deno");
      }
    }
    Path cache =
        Path.of(System.getProperty("user.home"), ".cache", "kv-reactive", "deno-" + VERSION);
    Path cached = cache.resolve("node_modules").resolve("deno").resolve("deno");
    Path linked = cache.resolve("node_modules").resolve(".bin").resolve("deno");
    List<Path> candidates = List.of(cached, linked);
    String reason =
        Installing.alone(
            cache,
            () ->
                candidates.stream().anyMatch(candidate -> isRightVersion(candidate, work))
                    ? "it is installed"
                    : install(cache, work));
    for (Path candidate : candidates) {
      if (isRightVersion(candidate, work)) {
        return candidate;
      }
    }
    String message = "no Deno " + VERSION + " on PATH or in " + cache + ", and npm says: " + reason;
    if ("true".equals(System.getenv("CI"))) {
      fail(message);
    }
    System.err.println("skipped: " + message);
    Assumptions.abort(message);
    throw new AssertionError("not reached");
  }

  private static boolean isRightVersion(Path executable, Path work) {
    if (!Files.isExecutable(executable)) {
      return false;
    }
    Result result = run(List.of(executable.toString(), "--version"), work);
    return result.exit == 0 && result.output.startsWith("deno " + VERSION + " ");
  }

  private static String install(Path cache, Path work) {
    Result result =
        run(List.of("npm", "install", "--prefix", cache.toString(), "deno@" + VERSION), work);
    return "exit " + result.exit + " " + result.errors;
  }

  private static Result run(List<String> command, Path home) {
    return run(command, home, Map.of());
  }

  private static Result run(List<String> command, Path home, Map<String, String> environment) {
    try {
      Path output = Files.createTempFile(home, "out", ".txt");
      Path errors = Files.createTempFile(home, "err", ".txt");
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(home.toFile())
              .redirectOutput(output.toFile())
              .redirectError(errors.toFile());
      builder.environment().putAll(allOf(environment, home));
      Process process = builder.start();
      boolean ended = process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      if (!ended) {
        process.destroyForcibly();
      }
      String said = Files.readString(errors);
      return new Result(
          ended ? process.exitValue() : -1,
          Files.readString(output),
          ended ? said : "no end after " + TIMEOUT_SECONDS + " s\n" + said);
    } catch (IOException e) {
      return new Result(-1, "", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Result(-1, "", e.toString());
    }
  }

  private record Result(int exit, String output, String errors) {}
}
