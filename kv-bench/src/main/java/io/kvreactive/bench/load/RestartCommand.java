package io.kvreactive.bench.load;

import io.kvreactive.bench.ChildJvm;
import io.kvreactive.bench.Directories;
import io.kvreactive.bench.Machine;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Kills a process that commits, and measures the time in which the next process opens the store.
 */
@Command(
    name = "restart",
    mixinStandardHelpOptions = true,
    description = "Restart after kill -9, by number of entries.")
public final class RestartCommand implements Callable<Integer> {
  private static final int MORE = 500_000_000;

  @Option(names = "--sizes", split = ",", description = "Entries (default: ${DEFAULT-VALUE}).")
  private List<Integer> sizes = List.of(500_000, 5_000_000);

  @Option(names = "--rounds", description = "Kills per size (default: ${DEFAULT-VALUE}).")
  private int rounds = 3;

  @Option(
      names = "--seconds",
      description = "Seconds of commits before a kill (default: ${DEFAULT-VALUE}).")
  private double seconds = 2;

  @Option(names = "--dir", description = "Directory for the stores (default: ${DEFAULT-VALUE}).")
  private Path directory = Path.of("target", "bench");

  @Override
  public Integer call() throws IOException {
    List<Double> medians = new ArrayList<>();
    for (int size : sizes) {
      medians.add(restart(size));
    }
    double ratio = Collections.max(medians) / Collections.min(medians);
    System.out.printf(Locale.ROOT, "slowest to fastest: %.2fx (target: 2x or less)%n", ratio);
    System.out.println(Machine.describe(directory));
    return 0;
  }

  private double restart(int size) throws IOException {
    Path store = Directories.fresh(directory, "restart-" + size);
    List<String> loaded = ChildJvm.run(List.of(), LoadedStore.load(store, size, 0));
    System.out.println(loaded.get(loaded.size() - 1));
    int answered = size;
    List<Double> millis = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      answered = commitAndKill(store, answered);
      boolean last = round == rounds - 1;
      for (String line : ChildJvm.run(List.of(), LoadedStore.open(store, answered, last))) {
        if (line.startsWith(OpenCommand.MILLIS)) {
          millis.add(Double.parseDouble(line.substring(OpenCommand.MILLIS.length())));
        }
      }
    }
    Collections.sort(millis);
    double median = millis.get(millis.size() / 2);
    System.out.printf(
        Locale.ROOT,
        "%,d entries and %,d after them, %,d MiB of files: open after kill -9 %s ms, median %.0f%n",
        size,
        answered - size,
        Directories.size(store) >> 20,
        millis.stream().map(Math::round).toList(),
        median);
    Directories.remove(store);
    return median;
  }

  /** Commits until the process is killed and returns the number of answered entries. */
  private int commitAndKill(Path store, int from) throws IOException {
    int answered = from;
    Process writer = ChildJvm.start(List.of(), LoadedStore.load(store, MORE, from));
    long end = 0;
    try (BufferedReader lines = writer.inputReader()) {
      String line;
      while ((line = lines.readLine()) != null) {
        if (end == 0) {
          end = System.nanoTime() + (long) (seconds * 1e9);
        } else if (System.nanoTime() > end) {
          writer.toHandle().destroyForcibly(); // SIGKILL; the printed lines remain readable
        }
        if (line.startsWith(LoadCommand.ANSWERED)) {
          answered = Integer.parseInt(line.substring(LoadCommand.ANSWERED.length()));
        }
      }
    }
    return answered;
  }
}
