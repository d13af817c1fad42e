package io.kvreactive.bench.vector;

import io.kvreactive.bench.Directories;
import io.kvreactive.bench.Machine;
import io.kvreactive.bench.OpenStore;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.VectorEmbedding;
import io.kvreactive.documents.VectorIndex;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import reactor.core.publisher.Flux;

/**
 * Compares vector indexes with a scan of all vectors, JVector and Lucene, in one process. Measures
 * the recall of the ten nearest vectors and the rate, with one search and with several searches at
 * a time.
 */
@Command(
    name = "vectors",
    mixinStandardHelpOptions = true,
    description = "Compares vector indexes with scans, JVector and Lucene.")
public final class VectorCommand implements Callable<Integer> {
  private static final Duration PATIENCE = Duration.ofHours(1);
  private static final int TOP = 10;
  private static final int ALONE = 200; // number of commits of one document each
  private static final int IN_FLIGHT = 64;
  private static final int SEARCHING_THREADS = 16;
  private static final int WARM_UP_SECONDS = 12;
  private static final int MEASURED_SECONDS = 4;

  @Option(names = "--vectors", description = "Number of vectors (default: ${DEFAULT-VALUE}).")
  private int count = 100_000;

  @Option(
      names = "--dimensions",
      description = "Dimensions of each vector (default: ${DEFAULT-VALUE}).")
  private int dimensions = 128;

  @Option(
      names = "--uniform",
      description = "Distribute the vectors uniformly instead of in clusters.")
  private boolean isUniform;

  @Option(
      names = "--searches",
      description = "Searches per measured rate (default: ${DEFAULT-VALUE}).")
  private int searches = 200;

  @Option(
      names = "--shards",
      description = "Also measures an index with so many shards; 0 for none (default: 0).")
  private int shards;

  @Option(names = "--without", description = "Does not measure ${COMPLETION-CANDIDATES}.")
  private Set<Other> without = EnumSet.noneOf(Other.class);

  @Option(names = "--dir", description = "Directory for the stores (default: ${DEFAULT-VALUE}).")
  private Path parent = Path.of("target", "bench");

  /** Libraries for comparison. */
  enum Other {
    JVECTOR,
    LUCENE
  }

  /**
   * A document.
   *
   * @param n a number for filters
   */
  record Item(String id, int n, float[] v) {}

  /**
   * The recall and the rates of searches.
   *
   * @param perSecond the rate with one search at a time
   * @param atOnce the total rate of all threads
   * @param recall the recall of the ten nearest vectors
   */
  private record Found(double perSecond, double atOnce, double recall) {}

  @Override
  public Integer call() throws IOException {
    Vectors vectors = Vectors.random(7, count, searches, dimensions, !isUniform);
    System.out.printf(
        Locale.ROOT,
        "%,d %s vectors of %d dimensions, -Xmx%dm%n%s%n",
        count,
        isUniform ? "uniform" : "clustered",
        dimensions,
        Runtime.getRuntime().maxMemory() >> 20,
        Machine.describe(parent));
    Path directory = Directories.fresh(parent, "vectors");
    Found graph;
    try {
      try (OpenStore store = new OpenStore(directory)) {
        DocumentStore index = DocumentStore.over(store.kv());
        Found scan = scan(index, vectors);
        Found quantized = quantized(index, vectors);
        ratio("quantizedFlat to a scan", quantized, scan);
        graph = graph(index, vectors);
        ratio("diskANN to a scan", graph, scan);
        if (shards > 0) {
          shards(index, vectors);
        }
        index.close().block(PATIENCE);
      }
      reopen(directory, vectors);
    } finally {
      Directories.remove(directory);
    }
    if (!without.contains(Other.JVECTOR)) {
      plain(vectors, graph);
    }
    if (!without.contains(Other.LUCENE)) {
      lucene(vectors, graph);
    }
    return 0;
  }

  private static void say(String what, double value, String unit) {
    System.out.printf(Locale.ROOT, "%-44s %,12.1f %s%n", what, value, unit);
  }

  private static void say(String what, Found found) {
    System.out.printf(
        Locale.ROOT,
        "%-44s %,12.1f searches/s, %,.1f/s of %d threads, recall@%d %.3f%n",
        what,
        found.perSecond(),
        found.atOnce(),
        SEARCHING_THREADS,
        TOP,
        found.recall());
  }

  private static void ratio(String what, Found ours, Found other) {
    System.out.printf(
        Locale.ROOT,
        "%-44s %,12.2f times, %,.2f of %d threads%n",
        "  " + what,
        ours.perSecond() / other.perSecond(),
        ours.atOnce() / other.atOnce(),
        SEARCHING_THREADS);
  }

  private static double since(long start) {
    return (System.nanoTime() - start) / 1e9;
  }

  // ---- ours

  private CollectionDefinition definition(VectorIndex indexed) {
    return CollectionDefinition.DEFAULT
        .withVectorEmbeddings(new VectorEmbedding("/v", "float32", dimensions, "euclidean"))
        .withIndexingPolicy(IndexingPolicy.excludeRoot("/n/?").withVector(indexed));
  }

  private DocumentCollection<Item> filled(DocumentStore index, String type, Vectors vectors) {
    return filled(index, type, new VectorIndex("/v", type), 100, vectors);
  }

  /**
   * Returns a collection of all vectors.
   *
   * @param numbers the number of different values of {@code n}
   */
  private DocumentCollection<Item> filled(
      DocumentStore index, String name, VectorIndex indexed, int numbers, Vectors vectors) {
    index.create(name, definition(indexed)).block(PATIENCE);
    DocumentCollection<Item> items = index.collection(name, Item.class);
    long start = System.nanoTime();
    Flux.range(0, count)
        .map(i -> new Item("i" + i, i % numbers, vectors.stored().get(i)))
        .flatMap(items::create, IN_FLIGHT)
        .blockLast(PATIENCE);
    say(name + ", creates with 64 in flight", count / since(start), "/s");
    awaitReady(items, vectors);
    say(name + ", all in the index after", since(start), "s");
    return items;
  }

  /** Waits until the index in memory has all vectors. */
  private void awaitReady(DocumentCollection<Item> items, Vectors vectors) {
    SqlQuery query = query("", "", vectors.queries().get(0));
    while (true) {
      var order =
          Objects.requireNonNull(items.explain(query).block(PATIENCE)).plan().get("orderBy");
      if (order.path("ready").asBoolean() && order.path("vectorsInMemory").asInt() >= count) {
        return;
      }
      sleep();
    }
  }

  private static void sleep() {
    try {
      Thread.sleep(500);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static SqlQuery query(String where, String more, float[] vector) {
    return SqlQuery.of(
        "SELECT TOP %d VALUE c.id FROM c %s ORDER BY VectorDistance(c.v, @v%s)"
            .formatted(TOP, where, more),
        Map.of("v", vector));
  }

  private Found search(
      DocumentCollection<Item> items,
      Vectors vectors,
      String where,
      String more,
      int every,
      int times) {
    return search(
        vectors,
        vector ->
            Objects.requireNonNull(
                    items
                        .query(query(where, more, vector), String.class)
                        .collectList()
                        .block(PATIENCE))
                .stream()
                .map(id -> Integer.parseInt(id.substring(1)))
                .toList(),
        every,
        times);
  }

  private Found search(
      Vectors vectors, Function<float[], List<Integer>> search, int every, int times) {
    run(vectors, search, 0, times, WARM_UP_SECONDS);
    long start = System.nanoTime();
    double perSecond = run(vectors, search, 0, times, MEASURED_SECONDS) / since(start);
    int found = 0;
    for (int i = 0; i < times; i++) {
      float[] vector = vectors.queries().get(i);
      Set<Integer> exact = vectors.closest(vector, TOP, every);
      found += (int) search.apply(vector).stream().filter(exact::contains).count();
    }
    return new Found(perSecond, atOnce(vectors, search, times), (double) found / times / TOP);
  }

  /**
   * Returns the total rate of several threads. Each begins with another vector: threads that search
   * for the same vector at the same time would share what the processor has cached.
   */
  private static double atOnce(
      Vectors vectors, Function<float[], List<Integer>> search, int times) {
    long start = System.nanoTime();
    int done =
        IntStream.range(0, SEARCHING_THREADS)
            .mapToObj(
                i ->
                    CompletableFuture.supplyAsync(
                        () ->
                            run(
                                vectors,
                                search,
                                i * times / SEARCHING_THREADS,
                                times,
                                MEASURED_SECONDS),
                        task -> new Thread(task, "search-" + i).start()))
            .toList()
            .stream()
            .mapToInt(CompletableFuture::join)
            .sum();
    return done / since(start);
  }

  /**
   * Searches for all vectors in turn for at least a time. Returns the number of searches.
   *
   * @param first the number of the first vector to search for
   */
  private static int run(
      Vectors vectors, Function<float[], List<Integer>> search, int first, int times, int seconds) {
    long start = System.nanoTime();
    int done = 0;
    while (done < times || since(start) < seconds) {
      var unused = search.apply(vectors.queries().get((first + done++) % times));
    }
    return done;
  }

  private Found scan(DocumentStore index, Vectors vectors) {
    DocumentCollection<Item> items = filled(index, VectorIndex.QUANTIZED_FLAT, vectors);
    Found scan = search(items, vectors, "", ", true", 1, Math.min(searches, 20));
    say("scan of all vectors", scan);
    return scan;
  }

  private Found quantized(DocumentStore index, Vectors vectors) {
    DocumentCollection<Item> items = index.collection(VectorIndex.QUANTIZED_FLAT, Item.class);
    Found quantized = search(items, vectors, "", "", 1, searches);
    say("quantizedFlat", quantized);
    return quantized;
  }

  private Found graph(DocumentStore index, Vectors vectors) {
    DocumentCollection<Item> items = filled(index, VectorIndex.DISK_ANN, vectors);
    Found graph = search(items, vectors, "", "", 1, searches);
    say("diskANN", graph);
    for (int every : new int[] {100, 10, 2}) {
      Found filtered =
          search(
              items,
              vectors,
              "WHERE c.n IN (" + numbers(every) + ")",
              "",
              every,
              Math.min(searches, 50));
      say("diskANN, a filter that leaves " + 100 / every + " %", filtered);
    }
    heap("diskANN", items);
    return graph;
  }

  private static void heap(String name, DocumentCollection<Item> items) {
    say(
        name + ", heap of the index",
        Objects.requireNonNull(items.sizes().block(PATIENCE)).indexes().stream()
                .mapToLong(size -> size.memoryBytes())
                .sum()
            / 1048576.0,
        "MiB");
  }

  /** Compares searches of one shard with filtered searches of an index without shards. */
  private void shards(DocumentStore index, Vectors vectors) {
    String where = "WHERE c.n = 0";
    VectorIndex graph = new VectorIndex("/v", VectorIndex.DISK_ANN);
    DocumentCollection<Item> filtered = filled(index, "filtered", graph, shards, vectors);
    Found byFilter = search(filtered, vectors, where, "", shards, searches);
    say("diskANN, one value of " + shards + " by a filter", byFilter);
    heap("filtered", filtered);
    VectorIndex byNumber =
        new VectorIndex("/v", VectorIndex.DISK_ANN, null, null, null, List.of("/n"));
    DocumentCollection<Item> sharded = filled(index, "sharded", byNumber, shards, vectors);
    Found byShard = search(sharded, vectors, where, "", shards, searches);
    say("diskANN, one shard of " + shards, byShard);
    ratio("a shard to a filter", byShard, byFilter);
    say("diskANN, all of " + shards + " shards", search(sharded, vectors, "", "", 1, searches));
    heap("sharded", sharded);
  }

  /** Returns the numbers below 100 that are multiples of {@code every}, separated by commas. */
  private static String numbers(int every) {
    return IntStream.range(0, 100 / every)
        .mapToObj(i -> String.valueOf(i * every))
        .collect(Collectors.joining(","));
  }

  private void reopen(Path directory, Vectors vectors) {
    long start = System.nanoTime();
    try (OpenStore store = new OpenStore(directory)) {
      say("open the store again", since(start), "s");
      DocumentStore index = DocumentStore.over(store.kv());
      awaitReady(index.collection(VectorIndex.DISK_ANN, Item.class), vectors);
      say("diskANN, in use again after", since(start), "s");
      index.close().block(PATIENCE);
    }
  }

  // ---- others

  private void plain(Vectors vectors, Found ours) throws IOException {
    long start = System.nanoTime();
    try (PlainGraph graph = new PlainGraph(vectors.stored())) {
      say("JVector alone, built in", since(start), "s");
      Found plain =
          atRecall(
              ours.recall(),
              list -> search(vectors, v -> graph.closest(v, TOP, list), 1, searches));
      say("JVector alone", plain);
      ratio("diskANN to JVector alone", ours, plain);
    }
  }

  private void lucene(Vectors vectors, Found ours) throws IOException {
    if (dimensions > LuceneVectors.MAX_DIMENSIONS) {
      System.out.printf("Lucene takes at most %d dimensions%n", LuceneVectors.MAX_DIMENSIONS);
      return;
    }
    Path directory = Directories.fresh(parent, "lucene");
    try (LuceneVectors lucene = new LuceneVectors(directory)) {
      long start = System.nanoTime();
      for (int i = 0; i < ALONE; i++) {
        lucene.put(i, vectors.stored().get(i));
        lucene.commit();
      }
      say("Lucene, each with a commit", ALONE / since(start), "/s");
      start = System.nanoTime();
      for (int i = ALONE; i < count; i++) {
        lucene.put(i, vectors.stored().get(i));
        if (i % IN_FLIGHT == 0) {
          lucene.commit();
        }
      }
      lucene.commit();
      say("Lucene, 64 with a commit", (count - ALONE) / since(start), "/s");
      lucene.merge();
      say("Lucene, one segment after", since(start), "s");
      Found found =
          atRecall(
              ours.recall(),
              list -> search(vectors, v -> lucene.closest(v, TOP, list), 1, searches));
      say("Lucene", found);
      ratio("diskANN to Lucene", ours, found);
    } finally {
      Directories.remove(directory);
    }
  }

  /** Returns the result of the smallest search list that reaches the recall. */
  private static Found atRecall(double recall, Function<Integer, Found> search) {
    Found found = search.apply(TOP);
    for (int list = 2 * TOP;
        list <= 10_000 && found.recall() < recall - 0.005;
        list = list * 3 / 2) {
      found = search.apply(list);
    }
    return found;
  }
}
