package io.kvreactive.bench.load;

import io.kvreactive.AtomicOperation;
import io.kvreactive.CommitResult;
import io.kvreactive.EnqueueOptions;
import io.kvreactive.Kv;
import io.kvreactive.QueueOptions;
import io.kvreactive.bench.Data;
import io.kvreactive.bench.Directories;
import io.kvreactive.bench.Loop;
import io.kvreactive.bench.Machine;
import io.kvreactive.bench.OpenStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** Measures messages through a queue. Each enqueue and each ack is durable when it is answered. */
@Command(
    name = "queue",
    mixinStandardHelpOptions = true,
    description = "Messages of 100 bytes through a queue, and a backlog drained.")
public final class QueueBenchCommand implements Callable<Integer> {
  private static final int BACKLOG_COMMITS_IN_FLIGHT = 8;

  @Option(names = "--in-flight", description = "Messages at a time (default: ${DEFAULT-VALUE}).")
  private int inFlight = 64;

  @Option(names = "--backlog", description = "Messages to drain (default: ${DEFAULT-VALUE}).")
  private int backlog = 500_000;

  @Option(
      names = "--seconds",
      description = "Seconds per kind of work (default: ${DEFAULT-VALUE}).")
  private double seconds = 5;

  @Option(names = "--dir", description = "Directory for the stores (default: ${DEFAULT-VALUE}).")
  private Path directory = Path.of("target", "bench");

  @Override
  public Integer call() throws IOException {
    Path store = Directories.fresh(directory, "queue");
    try (OpenStore open = new OpenStore(store)) {
      Kv kv = open.kv();
      Loop loop = Loop.plain(Duration.ofSeconds(3), Duration.ofMillis((long) (seconds * 1000)));
      byte[] value = Data.value();
      print("for comparison: sets/s", loop.rate(inFlight, i -> kv.set(Data.key("set", i), value)));
      print("sets/s, 1 in flight", loop.rate(1, i -> kv.set(Data.key("set", i), value)));
      print("enqueue, listen, ack: messages/s", throughput(kv, loop, inFlight));
      double oneByOne = throughput(kv, loop, 1);
      print("the same, 1 in flight: messages/s", oneByOne);
      print("from enqueue to ack, 1 in flight: µs", 1e6 / oneByOne);
      print("backlog enqueued, 1000 a commit: messages/s", fill(kv));
      drain(kv);
    }
    System.out.printf(
        Locale.ROOT,
        "heap %,d MiB, peak RSS %.0f MiB; %s%n",
        Runtime.getRuntime().maxMemory() >> 20,
        Machine.memoryMiB("VmHWM"),
        Machine.describe(directory));
    Directories.remove(store);
    return 0;
  }

  /**
   * Returns the rate of an operation that enqueues a message and ends when a consumer has
   * acknowledged it.
   */
  private static double throughput(Kv kv, Loop loop, int inFlight) {
    String queue = "flow-" + inFlight;
    EnqueueOptions to = EnqueueOptions.to(queue);
    Map<Integer, MonoSink<Integer>> open = new ConcurrentHashMap<>();
    Disposable consumer =
        kv.queues()
            .listen(Integer.class, QueueOptions.of(queue))
            .flatMap(m -> m.ack().thenReturn(m.required()), inFlight, 1)
            .subscribe(number -> open.remove(number).success(number));
    double rate =
        loop.rate(
            inFlight,
            number ->
                Mono.<Integer>create(
                    acked -> {
                      open.put(number, acked);
                      kv.queues().enqueue(number, to).subscribe(stamp -> {}, acked::error);
                    }));
    consumer.dispose();
    return rate;
  }

  private double fill(Kv kv) {
    long start = System.nanoTime();
    Flux.range(0, backlog / Data.SETS_PER_COMMIT)
        .flatMap(i -> messages(kv), BACKLOG_COMMITS_IN_FLIGHT)
        .blockLast();
    return backlog * 1e9 / (System.nanoTime() - start);
  }

  private static Mono<CommitResult> messages(Kv kv) {
    return Mono.defer(
        () -> {
          AtomicOperation commit = kv.atomic();
          byte[] message = Data.value();
          for (int i = 0; i < Data.SETS_PER_COMMIT; i++) {
            commit.enqueue(message, EnqueueOptions.to("backlog"));
          }
          return commit.commit();
        });
  }

  /** Consumes the backlog and prints the rate of each tenth, which must not decrease. */
  private void drain(Kv kv) {
    int tenth = backlog / 10;
    long start = System.nanoTime();
    kv.queues()
        .listen(byte[].class, QueueOptions.of("backlog"))
        .flatMap(m -> m.ack().thenReturn(true), inFlight, 1)
        .take(backlog / tenth * (long) tenth)
        .window(tenth)
        .concatMap(Flux::count)
        .scan(
            start,
            (before, ignored) -> {
              long now = System.nanoTime();
              System.out.printf(
                  Locale.ROOT, "  a tenth of it drained: %,.0f/s%n", tenth * 1e9 / (now - before));
              return now;
            })
        .blockLast();
    print("backlog drained: messages/s", backlog * 1e9 / (System.nanoTime() - start));
  }

  private static void print(String what, double value) {
    System.out.printf(Locale.ROOT, "%-46s %,12.0f%n", what, value);
  }
}
