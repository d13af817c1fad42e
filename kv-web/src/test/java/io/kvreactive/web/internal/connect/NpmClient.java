package io.kvreactive.web.internal.connect;

import static org.assertj.core.api.Assertions.fail;

import io.kvreactive.testing.Installing;
import io.kvreactive.testing.RunningScript;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/**
 * The real {@code @deno/kv} 0.14.0 in Node: from {@code ~/.cache/kv-reactive}, or installed there
 * from npm. If that fails, the test is skipped with the reason; with CI=true it fails.
 */
final class NpmClient {
  static final String VERSION = "0.14.0";

  private final Path packages;
  private final Path home;
  private final Map<String, String> environment = new HashMap<>();

  private NpmClient(Path packages, Path home) {
    this.packages = packages;
    this.home = home;
  }

  /**
   * Finds or installs the client, and copies the scripts of the test resources' {@code deno}
   * folder.
   */
  static NpmClient in(Path work, String... scripts) {
    NpmClient client = new NpmClient(find(work), work);
    for (String script : scripts) {
      try (InputStream source = NpmClient.class.getResourceAsStream("/deno/" + script)) {
        Files.copy(source, work.resolve(script));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return client;
  }

  NpmClient with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  /** Makes the packages available to programs in a directory, like {@code npm install}. */
  void installInto(Path directory) throws IOException {
    Files.createSymbolicLink(directory.resolve("node_modules"), packages.resolve("node_modules"));
  }

  RunningScript start(String script, String... arguments) {
    List<String> command = new ArrayList<>(List.of("node", home.resolve(script).toString()));
    command.addAll(List.of(arguments));
    Map<String, String> all = new HashMap<>(environment);
    all.put("DENO_KV_PACKAGE", packages.toString());
    return RunningScript.start(command, home, all);
  }

  private static Path find(Path work) {
    Path cache =
        Path.of(System.getProperty("user.home"), ".cache", "kv-reactive", "deno-kv-" + VERSION);
    String reason =
        Installing.alone(cache, () -> isThere(cache) ? "it is installed" : install(cache, work));
    if (!isThere(cache)) {
      String message = "no @deno/kv " + VERSION + " in " + cache + ", and npm says: " + reason;
      if ("true".equals(System.getenv("CI"))) {
        fail(message);
      }
      System.err.println("skipped: " + message);
      Assumptions.abort(message);
    }
    return cache;
  }

  private static boolean isThere(Path cache) {
    Path description = cache.resolve("node_modules/@deno/kv/package.json");
    try {
      return Files.readString(description).contains("\"version\": \"" + VERSION + "\"");
    } catch (IOException e) {
      return false;
    }
  }

  private static String install(Path cache, Path work) {
    List<String> command =
        List.of("npm", "install", "--prefix", cache.toString(), "@deno/kv@" + VERSION);
    try (RunningScript npm = RunningScript.start(command, work, Map.of())) {
      npm.awaitEnd();
      return "it is installed";
    } catch (AssertionError | UncheckedIOException e) {
      return e.toString();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return e.toString();
    }
  }
}
