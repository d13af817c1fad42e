package io.kvreactive.bench.index;

import io.kvreactive.bench.Directories;
import io.kvreactive.bench.Loop;
import io.kvreactive.bench.Machine;
import io.kvreactive.bench.OpenStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Compares collections with the plain store below them and with SQL databases, in one process. In
 * each round, every measure runs on all of them one after the other, so that a slow period of the
 * machine affects both sides of a ratio.
 */
@Command(
    name = "index",
    mixinStandardHelpOptions = true,
    description = "Compares indexed documents with the bare store, SQLite and H2.")
public final class IndexCommand implements Callable<Integer> {
  @Option(names = "--items", description = "Number of documents (default: ${DEFAULT-VALUE}).")
  private int items = 1_000_000;

  @Option(names = "--rounds", description = "Number of rounds (default: ${DEFAULT-VALUE}).")
  private int rounds = 3;

  @Option(
      names = "--seconds",
      description = "Seconds measured per rate (default: ${DEFAULT-VALUE}).")
  private double seconds = 4;

  @Option(names = "--warm-up", description = "Seconds of warm-up (default: ${DEFAULT-VALUE}).")
  private double warmUp = 3;

  @Option(names = "--only", split = ",", description = "Measures: ${COMPLETION-CANDIDATES}.")
  private List<Measure> only = List.of();

  @Option(
      names = "--databases",
      split = ",",
      description = "Databases to compare with: ${COMPLETION-CANDIDATES}.")
  private List<BenchDatabase> databases = List.of(BenchDatabase.values());

  @Option(names = "--alone", description = "Compare with no database.")
  private boolean alone;

  @Option(names = "--dir", description = "Directory for the stores (default: ${DEFAULT-VALUE}).")
  private Path parent = Path.of("target", "bench");

  @Option(names = "--strict", description = "Exit with 1 if a target is missed.")
  private boolean strict;

  @Override
  public Integer call() throws IOException, SQLException {
    Set<Measure> measures = only.isEmpty() ? EnumSet.allOf(Measure.class) : EnumSet.copyOf(only);
    if (measures.contains(Measure.CREATES)) {
      measures.remove(Measure.BUILT); // is measured with it
    }
    Figures figures = new Figures();
    Path directory = Directories.fresh(parent, "index");
    List<SqlRounds> others = new ArrayList<>();
    try (OpenStore store = new OpenStore(directory.resolve("store"))) {
      Loop loop = Loop.plain(duration(warmUp), duration(seconds));
      StoreRounds ours = new StoreRounds(store, items, loop, figures);
      ours.load(measures);
      progress("this store is loaded");
      for (BenchDatabase database : alone ? List.<BenchDatabase>of() : databases) {
        others.add(loaded(database, directory.resolve(database.title), figures));
        progress(database.title + " is loaded");
      }
      for (int round = 1; round <= rounds; round++) {
        for (Measure measure : measures) {
          ours.run(measure);
          for (SqlRounds other : others) {
            other.run(measure);
          }
        }
        progress("round " + round + " of " + rounds);
      }
    } finally {
      for (SqlRounds other : others) {
        other.close();
      }
      Directories.remove(directory);
    }
    System.out.print(figures.table());
    System.out.printf(
        Locale.ROOT,
        "%,d documents; this store and SQLite sync each commit, H2 does not%n%s, -Xmx%dm%n",
        items,
        Machine.describe(parent),
        Runtime.getRuntime().maxMemory() >> 20);
    return strict && !figures.reached() ? 1 : 0;
  }

  private SqlRounds loaded(BenchDatabase database, Path directory, Figures figures)
      throws IOException, SQLException {
    Files.createDirectories(directory);
    return new SqlRounds(database, directory, items, duration(warmUp), duration(seconds), figures);
  }

  private static void progress(String what) {
    System.err.println(what);
  }

  private static Duration duration(double seconds) {
    return Duration.ofMillis((long) (seconds * 1000));
  }
}
