package io.kvreactive.bench.peers;

import io.kvreactive.bench.Data;
import io.kvreactive.bench.Loop;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A measurement: operations per second, and their times.
 *
 * @param rate the number of operations, or of entries of a list, per second
 * @param p50 the median time of an operation in microseconds
 * @param p99 the 99th percentile
 */
record PeerMeasure(double rate, double p50, double p99) {
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double NANOS_PER_SECOND = 1e9;

  static PeerMeasure of(JsonObject json) {
    return new PeerMeasure(json.getDouble("value"), json.getDouble("p50"), json.getDouble("p99"));
  }

  JsonObject json() {
    return new JsonObject().put("value", rate).put("p50", p50).put("p99", p99);
  }

  private static PeerMeasure of(double rate, Histogram nanos) {
    return new PeerMeasure(
        rate,
        nanos.getValueAtPercentile(50) / NANOS_PER_MICRO,
        nanos.getValueAtPercentile(99) / NANOS_PER_MICRO);
  }

  /**
   * Measures operations that signal, several at a time. The times include those of the warm-up's
   * end.
   */
  static PeerMeasure inFlight(
      int inFlight, Duration warmUp, Duration measured, IntFunction<? extends Mono<?>> operation) {
    Recorder nanos = new Recorder(3);
    double rate = rate(Loop.plain(warmUp, measured), inFlight, operation, nanos);
    return of(rate, nanos.getIntervalHistogram());
  }

  /** Measures operations like {@link #inFlight}, on one event loop for each core. */
  static PeerMeasure onEventLoops(
      Vertx vertx,
      int inFlight,
      Duration warmUp,
      Duration measured,
      IntFunction<? extends Mono<?>> operation)
      throws InterruptedException, ExecutionException {
    Recorder nanos = new Recorder(3);
    int loops = Runtime.getRuntime().availableProcessors();
    double rate =
        sum(
            loops,
            () -> {
              Context context = vertx.getOrCreateContext(); // another one for each thread
              Loop loop =
                  new Loop(warmUp, measured, task -> context.runOnContext(on -> task.run()));
              return rate(loop, Math.max(1, inFlight / loops), operation, nanos);
            });
    return of(rate, nanos.getIntervalHistogram());
  }

  private static double rate(
      Loop loop, int inFlight, IntFunction<? extends Mono<?>> operation, Recorder nanos) {
    return loop.rateWhile(
        inFlight,
        number -> {
          long begin = System.nanoTime();
          return operation
              .apply(number)
              .doOnSuccess(done -> nanos.recordValue(System.nanoTime() - begin));
        },
        () -> {
          nanos.reset();
          return new CompletableFuture<Void>();
        });
  }

  /**
   * Measures operations that block, on several threads.
   *
   * @param operation returns the number of entries that it has handled
   */
  static PeerMeasure onThreads(
      int threads, Duration warmUp, Duration measured, Callable<Integer> operation)
      throws InterruptedException, ExecutionException {
    Recorder nanos = new Recorder(3);
    long begin = System.nanoTime() + warmUp.toNanos();
    long end = begin + measured.toNanos();
    double rate = sum(threads, () -> rate(operation, begin, end, nanos));
    return of(rate, nanos.getIntervalHistogram());
  }

  /** Returns the sum of rates that are measured at the same time, each on a thread of its own. */
  private static double sum(int threads, Callable<Double> measure)
      throws InterruptedException, ExecutionException {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<Double>> rates = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        rates.add(pool.submit(measure));
      }
      double sum = 0;
      for (Future<Double> rate : rates) {
        sum += rate.get();
      }
      return sum;
    } finally {
      pool.shutdownNow();
    }
  }

  private static double rate(Callable<Integer> operation, long begin, long end, Recorder nanos)
      throws Exception {
    long now = System.nanoTime();
    while (now < begin) {
      operation.call();
      now = System.nanoTime();
    }
    long from = now;
    long entries = 0;
    while (now < end) {
      entries += operation.call();
      long then = System.nanoTime();
      nanos.recordValue(then - now);
      now = then;
    }
    return entries * NANOS_PER_SECOND / (now - from);
  }

  /** Checks a value that was read. */
  static void required(byte @Nullable [] value) {
    if (value == null || value.length != Data.VALUE_BYTES) {
      throw new IllegalStateException("an entry has lost its value");
    }
  }
}
