package io.kvreactive.bench.load;

import io.kvreactive.bench.ChildJvm;
import io.kvreactive.bench.Directories;
import io.kvreactive.bench.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Loads and uses a store that is several times as large as the heap. */
@Command(
    name = "smallheap",
    mixinStandardHelpOptions = true,
    description = "Loads and uses a store that is much larger than the heap.")
public final class SmallHeapCommand implements Callable<Integer> {
  @Option(names = "--count", description = "Entries (default: ${DEFAULT-VALUE}).")
  private int count = 5_000_000;

  @Option(names = "--heap", description = "-Xmx of the JVM (default: ${DEFAULT-VALUE}).")
  private String heap = "256m";

  @Option(
      names = "--seconds",
      description = "Seconds per kind of work (default: ${DEFAULT-VALUE}).")
  private double seconds = 5;

  @Option(names = "--dir", description = "Directory for the stores (default: ${DEFAULT-VALUE}).")
  private Path directory = Path.of("target", "bench");

  @Override
  public Integer call() throws IOException {
    Path store = Directories.fresh(directory, "smallheap");
    List<String> options = List.of("-Xmx" + heap);
    List<String> loaded = ChildJvm.run(options, LoadedStore.load(store, count, 0));
    System.out.println(loaded.get(loaded.size() - 1));
    System.out.printf("%,d MiB of files%n", Directories.size(store) >> 20);
    ChildJvm.run(options, LoadedStore.use(store, count, seconds)).forEach(System.out::println);
    System.out.println(Machine.describe(directory));
    Directories.remove(store);
    return 0;
  }
}
