package io.kvreactive.bench.index;

import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** The measures on an SQL database. Each thread has a connection. */
final class SqlRounds implements AutoCloseable {
  private static final int READERS = 8;

  private final BenchDatabase database;
  private final int items;
  private final Duration warmUp;
  private final Duration measured;
  private final Figures figures;
  private final List<SqlSide> connections = new ArrayList<>();
  private final AtomicInteger grown = new AtomicInteger();

  /** Creates the database and stores the documents to be queried. */
  SqlRounds(
      BenchDatabase database,
      Path directory,
      int items,
      Duration warmUp,
      Duration measured,
      Figures figures)
      throws SQLException {
    this.database = database;
    this.items = items;
    this.warmUp = warmUp;
    this.measured = measured;
    this.figures = figures;
    connections.add(SqlSide.create(database, directory));
    connections.get(0).load("people", 0, items);
    while (connections.size() < Math.max(READERS, database.writers)) {
      connections.add(SqlSide.connect(database, directory));
    }
  }

  private interface Call {
    void run(SqlSide side) throws SQLException;
  }

  /** Runs a measure, if it applies to databases. */
  void run(Measure measure) throws SQLException {
    SqlSide one = connections.get(0);
    switch (measure) {
      case POINT1 -> add(measure, rate(1, side -> side.point(any())));
      case POINT64 -> add(measure, rate(READERS, side -> side.point(any())));
      case RANGE -> add(measure, rate(1, side -> side.range(People.city(any()), age())));
      case INSERT64 ->
          add(measure, rate(database.writers, side -> side.grow(grown.getAndIncrement())));
      case LOAD -> {
        int count = Math.max(1, items / 10);
        int from = grown.getAndAdd(count);
        add(measure, count / seconds(() -> one.load("growing", from, count)));
      }
      case BUILD -> {
        add(measure, items / seconds(one::build));
        one.drop();
      }
      default -> {
        // these measures apply to this store only
      }
    }
  }

  private void add(Measure measure, double rate) {
    figures.add(database, measure, rate);
  }

  /**
   * Returns the number of calls per second on {@code threads} threads, counted after the warm-up.
   */
  private double rate(int threads, Call call) {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      long from = System.nanoTime() + warmUp.toNanos();
      List<Future<Double>> rates = new ArrayList<>();
      for (SqlSide side : connections.subList(0, threads)) {
        rates.add(pool.submit(() -> rate(side, call, from)));
      }
      double sum = 0;
      for (Future<Double> rate : rates) {
        sum += rate.get();
      }
      return sum;
    } catch (ExecutionException e) {
      throw new IllegalStateException(database + " failed: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } finally {
      pool.shutdownNow();
    }
  }

  private double rate(SqlSide side, Call call, long from) throws SQLException {
    while (System.nanoTime() < from) {
      call.run(side);
    }
    long start = System.nanoTime();
    long calls = 0;
    while (System.nanoTime() < start + measured.toNanos()) {
      call.run(side);
      calls++;
    }
    return calls * 1e9 / (System.nanoTime() - start);
  }

  private interface Work {
    void run() throws SQLException;
  }

  private static double seconds(Work work) throws SQLException {
    long start = System.nanoTime();
    work.run();
    return (System.nanoTime() - start) / 1e9;
  }

  private int any() {
    return ThreadLocalRandom.current().nextInt(items);
  }

  private static int age() {
    return ThreadLocalRandom.current().nextInt(People.YOUNGEST, People.YOUNGEST + People.AGES / 2);
  }

  @Override
  public void close() throws SQLException {
    for (SqlSide side : connections) {
      side.close();
    }
  }
}
