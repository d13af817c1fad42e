package io.kvreactive.bench.index;

import io.kvreactive.bench.Directories;
import io.kvreactive.bench.Loop;
import io.kvreactive.bench.Machine;
import io.kvreactive.bench.OpenStore;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.SpatialIndex;
import io.kvreactive.documents.SqlQuery;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.function.IntFunction;
import org.reactivestreams.Publisher;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import reactor.core.publisher.Flux;

/**
 * Compares spatial queries by an index, by a scan and by a hand-written index of cells. Also
 * compares creating items with a spatial index and with a range index. Runs in rounds in one
 * process.
 */
@Command(
    name = "spatial",
    mixinStandardHelpOptions = true,
    description = "Compares spatial indexes with scans and with an index by hand.")
public final class SpatialCommand implements Callable<Integer> {
  private static final Duration PATIENCE = Duration.ofMinutes(30);
  private static final long SEED = 7;
  private static final double METRES = 50_000;
  private static final int NEAREST = 10;
  private static final int IN_FLIGHT = 64;
  private static final IndexingPolicy RANGE = IndexingPolicy.excludeRoot("/n/?");
  private static final IndexingPolicy SPATIAL =
      IndexingPolicy.excludeRoot().withSpatial(SpatialIndex.of("/at/?", "Point"));

  @Option(names = "--points", description = "Number of points (default: ${DEFAULT-VALUE}).")
  private int points = 1_000_000;

  @Option(names = "--rounds", description = "Number of rounds (default: ${DEFAULT-VALUE}).")
  private int rounds = 3;

  @Option(
      names = "--seconds",
      description = "Seconds measured per rate (default: ${DEFAULT-VALUE}).")
  private double seconds = 3;

  @Option(names = "--warm-up", description = "Seconds of warm-up (default: ${DEFAULT-VALUE}).")
  private double warmUp = 3;

  @Option(names = "--dir", description = "Directory for the stores (default: ${DEFAULT-VALUE}).")
  private Path parent = Path.of("target", "bench");

  private final SplittableRandom random = new SplittableRandom(SEED + 1);
  private final Map<String, double[][]> ratios = new LinkedHashMap<>();
  private int created;

  @Override
  public Integer call() throws IOException {
    Path directory = Directories.fresh(parent, "spatial");
    try (OpenStore store = new OpenStore(directory)) {
      DocumentStore index = DocumentStore.over(store.kv());
      DocumentCollection<Points.Document> items = collection(index, "points", SPATIAL);
      DocumentCollection<Points.Document> created = collection(index, "created", SPATIAL);
      DocumentCollection<Points.Document> ranged = collection(index, "ranged", RANGE);
      CellStore cells = new CellStore(store.kv());
      items
          .load(Flux.fromStream(() -> Points.all(SEED, "p", points)).map(Points.Point::document))
          .blockLast(PATIENCE);
      cells.load(Flux.fromStream(() -> Points.all(SEED, "p", points))).block(PATIENCE);
      System.err.println("loaded");
      for (int round = 0; round < rounds; round++) {
        round(round, items, cells, created, ranged);
        System.err.println("round " + (round + 1));
      }
      index.close().block(PATIENCE);
    } finally {
      Directories.remove(directory);
    }
    print();
    return 0;
  }

  private static DocumentCollection<Points.Document> collection(
      DocumentStore index, String name, IndexingPolicy policy) {
    index.create(name, CollectionDefinition.DEFAULT.withIndexingPolicy(policy)).block(PATIENCE);
    return index.collection(name, Points.Document.class);
  }

  private void round(
      int round,
      DocumentCollection<Points.Document> items,
      CellStore cells,
      DocumentCollection<Points.Document> created,
      DocumentCollection<Points.Document> ranged) {
    IntFunction<Publisher<?>> within = number -> items.query(within(), String.class).count();
    double radius = rate(1, within);
    double byHand = rate(1, number -> cells.within(somewhere(), METRES).count());
    double scan = once(items.query(scan(within()), String.class));
    double nearest = rate(1, number -> items.query(nearest(), String.class).count());
    double sorted = once(items.query(scan(nearest()), String.class));
    double spatial = rate(IN_FLIGHT, number -> created.create(next()));
    double range = rate(IN_FLIGHT, number -> ranged.create(next()));
    add(round, "within 50 km, to a scan", radius, scan);
    add(round, "within 50 km, to cells by hand", radius, byHand);
    add(round, "10 nearest, to a scan", nearest, sorted);
    add(round, "creates, to a range path", spatial, range);
  }

  private Points.Point somewhere() {
    return Points.point(random, "");
  }

  private Points.Document next() {
    return Points.point(random, "c" + created++).document();
  }

  private SqlQuery within() {
    return SqlQuery.of(
        "SELECT VALUE c.id FROM c WHERE ST_DISTANCE(c.at, @here) < @metres",
        Map.of("here", somewhere().geoJson(), "metres", METRES));
  }

  private SqlQuery nearest() {
    return SqlQuery.of(
        "SELECT TOP %d VALUE c.id FROM c ORDER BY ST_DISTANCE(c.at, @here)".formatted(NEAREST),
        Map.of("here", somewhere().geoJson()));
  }

  private static SqlQuery scan(SqlQuery query) {
    return query.withOptions(QueryOptions.DEFAULT.withForceScan(true));
  }

  private double rate(int inFlight, IntFunction<? extends Publisher<?>> operation) {
    return Loop.plain(duration(warmUp), duration(seconds)).rate(inFlight, operation);
  }

  private static double once(Flux<?> rows) {
    long began = System.nanoTime();
    rows.blockLast(PATIENCE);
    return 1e9 / (System.nanoTime() - began);
  }

  private void add(int round, String what, double ours, double against) {
    ratios.computeIfAbsent(what, key -> new double[rounds][])[round] = new double[] {ours, against};
  }

  private void print() throws IOException {
    System.out.printf(
        Locale.ROOT, "%-32s %12s %12s %10s%n", "per second", "ours", "against", "ratio");
    ratios.forEach(
        (what, pairs) ->
            System.out.printf(
                Locale.ROOT,
                "%-32s %,12.2f %,12.2f %,9.2fx%n",
                what,
                median(pairs, pair -> pair[0]),
                median(pairs, pair -> pair[1]),
                median(pairs, pair -> pair[0] / pair[1])));
    System.out.printf(
        Locale.ROOT,
        "%,d points; medians of %d rounds%n%s, -Xmx%dm%n",
        points,
        rounds,
        Machine.describe(parent),
        Runtime.getRuntime().maxMemory() >> 20);
  }

  private static double median(double[][] pairs, java.util.function.ToDoubleFunction<double[]> of) {
    double[] sorted = Arrays.stream(pairs).mapToDouble(of).sorted().toArray();
    return sorted[sorted.length / 2];
  }

  private static Duration duration(double seconds) {
    return Duration.ofMillis((long) (seconds * 1000));
  }
}
