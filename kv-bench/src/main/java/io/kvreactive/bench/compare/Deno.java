package io.kvreactive.bench.compare;

import io.kvreactive.bench.ChildJvm;
import io.kvreactive.bench.Directories;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An installation of Deno, which runs {@code deno.js} with the real Deno KV. */
public record Deno(Path executable) {
  private static final String VERSION = "2.9.6";

  /**
   * Returns Deno from PATH, or from the cache of this project, or installs it into that cache by
   * npm.
   *
   * @throws IOException if Deno is not found and cannot be installed
   */
  public static Deno find() throws IOException {
    for (String directory : System.getenv("PATH").split(File.pathSeparator, -1)) {
      Path candidate = Path.of(directory, "deno");
      if (Files.isExecutable(candidate)) {
        return new Deno(candidate);
      }
    }
    Path cache = Path.of(System.getProperty("user.home"), ".cache", "kv-reactive");
    Path home = cache.resolve("deno-" + VERSION);
    Path executable = home.resolve(Path.of("node_modules", ".bin", "deno"));
    if (!Files.isExecutable(executable)) {
      install(home);
    }
    return new Deno(executable);
  }

  private static void install(Path home) throws IOException {
    Files.createDirectories(home);
    System.err.println("installing Deno " + VERSION + " into " + home);
    Process npm =
        new ProcessBuilder("npm", "install", "--prefix", home.toString(), "deno@" + VERSION)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    ChildJvm.lines(npm, "npm install deno@" + VERSION);
  }

  String version() throws IOException {
    Process deno = new ProcessBuilder(executable.toString(), "--version").start();
    return ChildJvm.lines(deno, "deno --version").get(0);
  }

  /**
   * Runs scenarios on Deno's own store below a directory. Returns one JSON line for each scenario.
   */
  public List<String> run(Path directory, List<String> arguments) throws IOException {
    return run(directory, arguments, "");
  }

  /**
   * Runs scenarios. Returns one JSON line for each scenario.
   *
   * @param token the access token of the server that the arguments name; empty for none
   */
  List<String> run(Path directory, List<String> arguments, String token) throws IOException {
    Path fresh = Directories.fresh(directory, "deno");
    Path script = fresh.resolve("deno.js");
    try (InputStream in = Deno.class.getResourceAsStream("deno.js")) {
      if (in == null) {
        throw new IOException("deno.js is missing from the class path");
      }
      Files.copy(in, script);
    }
    List<String> line = new ArrayList<>();
    line.addAll(List.of(executable.toString(), "run", "-A", "--unstable-kv", "--no-prompt"));
    line.add(script.toString());
    line.add("--dir=" + fresh);
    line.addAll(arguments);
    ProcessBuilder deno = new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT);
    deno.environment().put("DENO_DIR", fresh.resolve("cache").toString());
    deno.environment().put("DENO_KV_ACCESS_TOKEN", token);
    deno.environment().put("HOME", fresh.toString());
    deno.environment().put("DENO_NO_UPDATE_CHECK", "1");
    List<String> results = ChildJvm.lines(deno.start(), "deno run deno.js");
    Directories.remove(fresh);
    return results;
  }
}
