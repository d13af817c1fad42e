package io.kvreactive.bench.peers;

import io.kvreactive.bench.ChildJvm;
import io.kvreactive.bench.Machine;
import io.kvreactive.bench.compare.Deno;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Runs the same operations on this store and on other embedded stores, in rounds, each in a process
 * and a directory of its own.
 */
@Command(
    name = "peers",
    mixinStandardHelpOptions = true,
    description = {
      "Measures durable sets, gets and lists beside RocksDB, LMDB, MVStore, Xodus, SQLite and Deno KV.",
      "Every store syncs each commit. Values have 100 bytes; keys are those of this store, as bytes."
    })
public final class PeersCommand implements Callable<Integer> {
  /** For lmdbjava, which reads memory outside of the heap. */
  private static final List<String> OPENED =
      List.of(
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");

  @Option(names = "--stores", split = ",", description = "Stores: ${COMPLETION-CANDIDATES}.")
  private Set<PeerStore> stores = EnumSet.allOf(PeerStore.class);

  @Option(names = "--figures", split = ",", description = "Tables: ${COMPLETION-CANDIDATES}.")
  private Set<Figure> figures = EnumSet.allOf(Figure.class);

  @Option(names = "--rounds", description = "Number of rounds (default: ${DEFAULT-VALUE}).")
  private int rounds = 3;

  @Option(names = "--seconds", description = "Seconds measured (default: ${DEFAULT-VALUE}).")
  private double seconds = 4;

  @Option(names = "--warm-up", description = "Seconds of warm-up (default: ${DEFAULT-VALUE}).")
  private double warmUp = 3;

  @Option(names = "--dir", description = "Directory for the stores (default: ${DEFAULT-VALUE}).")
  private Path directory = Path.of("target", "bench");

  @Option(names = "--heap", description = "-Xmx of each JVM (default: ${DEFAULT-VALUE}).")
  private String heap = "1g";

  private final Map<Figure, Map<PeerStore, List<PeerMeasure>>> results =
      new EnumMap<>(Figure.class);

  @Override
  public Integer call() throws IOException {
    for (int round = 1; round <= rounds; round++) {
      for (Figure figure : EnumSet.copyOf(figures)) {
        for (PeerStore store : EnumSet.copyOf(stores)) {
          PeerMeasure measure = measure(store, figure);
          results
              .computeIfAbsent(figure, ignored -> new EnumMap<>(PeerStore.class))
              .computeIfAbsent(store, ignored -> new ArrayList<>())
              .add(measure);
          System.err.printf(
              Locale.ROOT,
              "round %d, %s, %s: %,.0f/s%n",
              round,
              figure,
              store.title,
              measure.rate());
        }
      }
    }
    results.forEach(PeersCommand::print);
    System.out.println(
        Machine.describe(directory) + ", each JVM with -Xmx" + heap + "; medians of the rounds");
    return 0;
  }

  private PeerMeasure measure(PeerStore store, Figure figure) throws IOException {
    List<String> lines =
        store == PeerStore.DENO
            ? Deno.find()
                .run(
                    directory,
                    List.of(
                        "--only=" + figure,
                        "--seconds=" + seconds,
                        "--warm-up=" + warmUp,
                        "--times=true"))
            : ChildJvm.run(
                children(), PeerCommand.arguments(store, figure, seconds, warmUp, directory));
    return lines.stream()
        .filter(line -> line.startsWith("{"))
        .map(line -> PeerMeasure.of(new JsonObject(line)))
        .findFirst()
        .orElseThrow(() -> new IOException(store + " printed no result: " + lines));
  }

  private List<String> children() {
    List<String> options = new ArrayList<>(OPENED);
    options.add("-Xmx" + heap);
    return options;
  }

  private static void print(Figure figure, Map<PeerStore, List<PeerMeasure>> stores) {
    System.out.println();
    System.out.println(figure.title);
    System.out.printf(
        Locale.ROOT,
        "  %-14s %14s %12s %12s %10s%n",
        "",
        "per second",
        "p50, µs",
        "p99, µs",
        "ours");
    stores.forEach(
        (store, measures) -> {
          double rate = median(measures, PeerMeasure::rate);
          System.out.printf(
              Locale.ROOT,
              "  %-14s %,14.0f %,12.1f %,12.1f %10s%n",
              store.title,
              rate,
              median(measures, PeerMeasure::p50),
              median(measures, PeerMeasure::p99),
              ratio(stores, rate));
        });
  }

  /** Returns how many times as much this store does. */
  private static String ratio(Map<PeerStore, List<PeerMeasure>> stores, double rate) {
    List<PeerMeasure> ours = stores.get(PeerStore.OURS);
    return ours == null
        ? "-"
        : String.format(Locale.ROOT, "%.2fx", median(ours, PeerMeasure::rate) / rate);
  }

  private static double median(List<PeerMeasure> measures, ToDoubleFunction<PeerMeasure> part) {
    List<Double> sorted =
        measures.stream().map(part::applyAsDouble).sorted(Comparator.naturalOrder()).toList();
    return sorted.get(sorted.size() / 2);
  }
}
