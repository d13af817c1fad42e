package io.kvreactive.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * Loads the classes of client commands, so that Java lists them for a class data sharing archive.
 * {@code ./kv} runs it once after a build. The commands use a store in a temporary directory, whose
 * routes and client are those of a server.
 */
final class ClassArchive {
  private ClassArchive() {}

  public static void main(String[] args) throws IOException {
    Path folder = Files.createTempDirectory("kv-classes");
    String[][] commands = {
      {"set", "a/1", "{\"b\":[1]}", "--create"},
      {"get", "a/1"},
      {"list", "--limit", "1"},
      {"count"},
      {"sum", "n"},
      {"databases"},
      {"list", "-o", "table"},
      {"del", "a/1"},
      {"collection", "create", "c"},
      {"item", "put", "c", "{\"id\":\"1\",\"b\":1}"},
      {"query", "c", "SELECT * FROM c WHERE c.b = 1"},
      {"collection", "list"},
      {"export", folder.resolve("lines").toString()},
      {"import", folder.resolve("lines").toString()},
      {"get", "--help"}
    };
    int failed = 0;
    for (String[] command : commands) {
      String[] all = Arrays.copyOf(command, command.length + 1);
      all[command.length] = "--path=" + folder.resolve("store");
      failed |= KvMain.run(all);
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
    Runtime.getRuntime().halt(failed);
  }
}
