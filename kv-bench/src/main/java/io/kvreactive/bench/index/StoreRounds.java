package io.kvreactive.bench.index;

import io.kvreactive.Versionstamp;
import io.kvreactive.bench.Loop;
import io.kvreactive.bench.OpenStore;
import io.kvreactive.documents.QueryMetrics;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The measures on collections and on the plain store, in one store. */
final class StoreRounds {
  private static final int IN_FLIGHT = 64;
  private static final int LOADING = 1000;
  private static final int MAX_PARTITIONED = 100_000;
  private static final int MAX_CHANGES = 100_000;
  private static final int CONSUMERS = 100;
  private static final Duration PATIENCE = Duration.ofHours(1);

  private final IndexSide index;
  private final PlainSide plain;
  private final PartitionSide partitions;
  private final int items;
  private final int partitionCount;
  private final Loop loop;
  private final Figures figures;
  private final AtomicInteger grown = new AtomicInteger();
  private final AtomicInteger created;

  /**
   * Creates the rounds.
   *
   * @param items the number of items to be loaded and queried; each round loads a tenth of it in
   *     addition
   */
  StoreRounds(OpenStore store, int items, Loop loop, Figures figures) {
    this.index = new IndexSide(store.kv());
    this.plain = new PlainSide(store.kv());
    this.partitions = new PartitionSide(store.kv());
    this.items = items;
    this.partitionCount = Math.max(1, Math.min(items, MAX_PARTITIONED) / PartitionSide.SIZE);
    this.loop = loop;
    this.figures = figures;
    this.created = new AtomicInteger(items);
  }

  /** Loads the documents that the measures need, on both sides. */
  void load(Set<Measure> measures) {
    seconds(Flux.range(0, items).flatMap(index::create, LOADING));
    seconds(plain.load(0, items));
    if (measures.stream().anyMatch(Measure::isPartitioned)) {
      seconds(partitions.load(partitionCount));
      requireReadsOfOnePartition();
    }
  }

  /** Runs a measure. CREATES and BUILT are measured together. */
  void run(Measure measure) {
    switch (measure) {
      case POINT1 -> pair(measure, 1, i -> index.point(any()), i -> plain.get(any()));
      case POINT64 -> pair(measure, IN_FLIGHT, i -> index.point(any()), i -> plain.get(any()));
      case RANGE ->
          pair(
              measure,
              1,
              i -> index.range(People.city(any()), age()),
              i -> plain.range(People.city(any()), age()));
      case SCAN -> {
        double fast = loop.rate(1, i -> index.range(People.city(any()), age()));
        figures.add(measure, fast, 1 / seconds(index.scan(People.city(any()), age()).flux()));
      }
      case INSERT64 ->
          pair(measure, IN_FLIGHT, i -> index.grow(grown.getAndIncrement()), i -> plain.set(i));
      case LOAD -> loads(measure);
      case BUILD -> {
        figures.add(measure, items / seconds(index.build()), Measure.BUILD_RATE);
        seconds(index.drop());
      }
      case CREATES, BUILT -> creates();
      case POINTS -> {
        whileBuilding(measure, i -> index.point(any()));
        seconds(index.drop());
      }
      case PARTITION ->
          pair(
              measure,
              1,
              i -> partitions.query(anyPartition()),
              i -> partitions.list(anyPartition()));
      case BATCH -> batches(measure, 1);
      case BATCH64 -> batches(measure, IN_FLIGHT);
      case CHANGES -> changes();
      case CONSUMERS -> consumers();
    }
  }

  /** Requires that a query within a partition reads the ids and items of that partition only. */
  private void requireReadsOfOnePartition() {
    QueryMetrics read =
        Objects.requireNonNull(partitions.query(anyPartition()).block(PATIENCE)).metrics();
    if (read.entriesRead() != PartitionSide.SIZE || read.retrievedItems() != PartitionSide.SIZE) {
      throw new IllegalStateException(
          "a query within a partition of " + PartitionSide.SIZE + " items read " + read);
    }
  }

  private void batches(Measure measure, int inFlight) {
    pair(
        measure,
        inFlight,
        i -> partitions.batch(created.getAndAdd(PartitionSide.BATCH)),
        i -> partitions.create(created.getAndIncrement()));
  }

  /** Measures changes that are one commit each. */
  private void changes() {
    Versionstamp since = Objects.requireNonNull(partitions.newest().block(PATIENCE));
    int count = Math.min(items, MAX_CHANGES);
    int from = created.getAndAdd(count);
    seconds(Flux.range(from, count).flatMap(partitions::create, LOADING));
    double rate = loop.rate(1, i -> partitions.changes(since, count));
    figures.add(Measure.CHANGES, rate, Measure.CHANGE_RATE);
  }

  private void consumers() {
    IntFunction<Mono<?>> create = i -> partitions.create(created.getAndIncrement());
    double alone = loop.rate(IN_FLIGHT, create);
    Disposable consumers = partitions.idleConsumers(CONSUMERS);
    figures.add(Measure.CONSUMERS, loop.rate(IN_FLIGHT, create), alone);
    consumers.dispose();
  }

  private int anyPartition() {
    return ThreadLocalRandom.current().nextInt(partitionCount);
  }

  private void pair(
      Measure measure,
      int inFlight,
      IntFunction<? extends Publisher<?>> ours,
      IntFunction<? extends Publisher<?>> against) {
    figures.add(measure, loop.rate(inFlight, ours), loop.rate(inFlight, against));
  }

  private void loads(Measure measure) {
    int count = Math.max(1, items / 10);
    int from = grown.getAndAdd(count);
    double ours = seconds(Flux.range(from, count).flatMap(index::grow, LOADING));
    double against = seconds(plain.bulk(from, count));
    figures.add(measure, count / ours, count / against);
  }

  private void creates() {
    IntFunction<Mono<?>> create = i -> index.create(created.getAndIncrement());
    double before = whileBuilding(Measure.CREATES, create);
    figures.add(Measure.BUILT, loop.rate(IN_FLIGHT, create), before);
    seconds(index.drop());
  }

  /** Measures during a build and returns the rate before the build. The index remains. */
  private double whileBuilding(Measure measure, IntFunction<? extends Publisher<?>> operation) {
    rateWhileBuilding(
        operation); // warms up: otherwise, the JVM would compile the build most of the time
    seconds(index.drop());
    double before = loop.rate(IN_FLIGHT, operation);
    figures.add(measure, rateWhileBuilding(operation), before);
    return before;
  }

  private double rateWhileBuilding(IntFunction<? extends Publisher<?>> operation) {
    CompletableFuture<?>[] built = new CompletableFuture<?>[1];
    double rate =
        loop.rateWhile(
            IN_FLIGHT,
            operation,
            () -> {
              CompletableFuture<?> build = index.build().then().toFuture();
              built[0] = build;
              return build;
            });
    Mono.fromFuture(built[0]).block(PATIENCE);
    return rate;
  }

  private int any() {
    return ThreadLocalRandom.current().nextInt(items);
  }

  private static int age() {
    return ThreadLocalRandom.current().nextInt(People.YOUNGEST, People.YOUNGEST + People.AGES / 2);
  }

  private static double seconds(Flux<?> work) {
    long start = System.nanoTime();
    work.then().block(PATIENCE);
    return (System.nanoTime() - start) / 1e9;
  }
}
