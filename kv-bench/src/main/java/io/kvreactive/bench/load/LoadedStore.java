package io.kvreactive.bench.load;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command lines of child processes that work on a loaded store. */
final class LoadedStore {
  private LoadedStore() {}

  static List<String> load(Path directory, int count, int from) {
    return List.of("load", "--dir=" + directory, "--count=" + count, "--from=" + from);
  }

  static List<String> open(Path directory, int answered, boolean countAll) {
    List<String> line =
        new ArrayList<>(List.of("open", "--dir=" + directory, "--answered=" + answered));
    if (countAll) {
      line.add("--count-all");
    }
    return line;
  }

  static List<String> use(Path directory, int count, double seconds) {
    return List.of("use", "--dir=" + directory, "--count=" + count, "--seconds=" + seconds);
  }
}
