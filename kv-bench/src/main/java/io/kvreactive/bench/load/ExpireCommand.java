package io.kvreactive.bench.load;

import io.kvreactive.AtomicOperation;
import io.kvreactive.Kv;
import io.kvreactive.KvRange;
import io.kvreactive.bench.Data;
import io.kvreactive.bench.Directories;
import io.kvreactive.bench.OpenStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Measures durable sets before, while and after a million keys expire within one second. */
@Command(
    name = "expire",
    mixinStandardHelpOptions = true,
    description = "Commits and lists while many keys expire in the same second.")
public final class ExpireCommand implements Callable<Integer> {
  private static final int IN_FLIGHT = 64;
  private static final int LOADS = 4;

  @Option(names = "--count", description = "Keys that expire (default: ${DEFAULT-VALUE}).")
  private int count = 1_000_000;

  @Option(names = "--seconds", description = "Seconds per measurement (default: ${DEFAULT-VALUE}).")
  private int seconds = 10;

  @Option(names = "--dir", description = "Directory for the store (default: ${DEFAULT-VALUE}).")
  private Path parent = Path.of("target", "bench");

  private final AtomicInteger sets = new AtomicInteger();

  @Override
  public Integer call() throws IOException {
    Path directory = Directories.fresh(parent, "expire");
    try (OpenStore store = new OpenStore(directory)) {
      Kv kv = store.kv();
      load(kv, "stays", 100_000, null);
      measure(kv, "before");
      // the keys must not expire before the load has ended
      Instant at = Instant.now().plusSeconds(20 + count / 20_000);
      load(kv, "expires", count, at);
      System.out.printf(Locale.ROOT, "loaded; count %,d%n", kv.count(KvRange.all()).block());
      scan(kv, "all are there");
      Mono.delay(Duration.between(Instant.now(), at)).block();
      measure(kv, "while they expire");
      scan(kv, "they have expired");
      measure(kv, "after");
      scan(kv, "later");
    } finally {
      Directories.remove(directory);
    }
    return 0;
  }

  private static void load(Kv kv, String kind, int count, @Nullable Instant at) {
    byte[] value = Data.value();
    Flux.range(0, count / Data.SETS_PER_COMMIT)
        .flatMap(
            batch -> {
              AtomicOperation commit = kv.atomic();
              for (int i = 0; i < Data.SETS_PER_COMMIT; i++) {
                int n = batch * Data.SETS_PER_COMMIT + i;
                if (at != null) {
                  commit.set(Data.key(kind, n), value, at.plusMillis(n % 1000));
                } else {
                  commit.set(Data.key(kind, n), value);
                }
              }
              return commit.commit();
            },
            LOADS)
        .blockLast();
  }

  private void measure(Kv kv, String when) {
    byte[] value = Data.value();
    ConcurrentLinkedQueue<Long> latencies = new ConcurrentLinkedQueue<>();
    long start = System.nanoTime();
    Flux.range(0, Integer.MAX_VALUE)
        .takeWhile(i -> System.nanoTime() - start < seconds * 1_000_000_000L)
        .flatMap(
            i ->
                Mono.defer(
                    () -> {
                      long requested = System.nanoTime();
                      return kv.set(Data.key("set", sets.incrementAndGet() % 50_000), value)
                          .doOnNext(stamp -> latencies.add(System.nanoTime() - requested));
                    }),
            IN_FLIGHT)
        .blockLast();
    double elapsed = (System.nanoTime() - start) / 1e9;
    long[] sorted = latencies.stream().mapToLong(Long::longValue).toArray();
    Arrays.sort(sorted);
    System.out.printf(
        Locale.ROOT,
        "%-18s %,8.0f sets/s, p50 %.2f ms, p99 %.2f ms, worst %.1f ms%n",
        when,
        sorted.length / elapsed,
        sorted[sorted.length / 2] / 1e6,
        sorted[sorted.length * 99 / 100] / 1e6,
        sorted[sorted.length - 1] / 1e6);
  }

  private static void scan(Kv kv, String when) {
    long start = System.nanoTime();
    Long expiring = kv.count(Data.range("expires")).block();
    double expiringMillis = (System.nanoTime() - start) / 1e6;
    start = System.nanoTime();
    Long staying = kv.list(Data.range("stays"), byte[].class).count().block();
    double stayingMillis = (System.nanoTime() - start) / 1e6;
    System.out.printf(
        Locale.ROOT,
        "%-18s count of %,d that expire in %.1f ms, list of %,d that stay in %.1f ms%n",
        when,
        expiring,
        expiringMillis,
        staying,
        stayingMillis);
  }
}
