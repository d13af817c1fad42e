package io.kvreactive.bench.load;

import io.kvreactive.Kv;
import io.kvreactive.KvCommit;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.Versionstamp;
import io.kvreactive.bench.Data;
import io.kvreactive.bench.Directories;
import io.kvreactive.bench.Loop;
import io.kvreactive.bench.Machine;
import io.kvreactive.bench.OpenStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;

/** Measures change feeds: replayed from the log, live, and the cost of many idle feeds. */
@Command(
    name = "feed",
    mixinStandardHelpOptions = true,
    description = "Events per second of change feeds, and the cost of idle ones.")
public final class FeedCommand implements Callable<Integer> {
  private static final int IN_FLIGHT = 256;
  private static final int ROUNDS = 3;

  @Option(names = "--commits", description = "Commits to replay (default: ${DEFAULT-VALUE}).")
  private int commits = 500_000;

  @Option(names = "--idle", description = "Idle feeds (default: ${DEFAULT-VALUE}).")
  private int idle = 1000;

  @Option(names = "--seconds", description = "Seconds per measurement (default: ${DEFAULT-VALUE}).")
  private int seconds = 5;

  @Option(names = "--dir", description = "Directory for the stores (default: ${DEFAULT-VALUE}).")
  private Path directory = Path.of("target", "bench");

  @Override
  public Integer call() throws IOException {
    Path path = Directories.fresh(directory, "feed");
    try (OpenStore store = new OpenStore(path)) {
      Kv kv = store.kv();
      byte[] value = Data.value();
      Flux.range(0, commits)
          .flatMap(i -> kv.set(Data.key("feed", i), value), IN_FLIGHT)
          .blockLast();
      replay(kv);
      replay(kv);
      live(kv, value);
      for (int round = 0; round < ROUNDS; round++) {
        print("durable sets/s, no feed", sets(kv, value));
        Disposable feeds = idleFeeds(kv);
        print("durable sets/s, " + idle + " idle feeds", sets(kv, value));
        feeds.dispose();
      }
      System.out.println(Machine.describe(path));
    } finally {
      Directories.remove(path);
    }
    return 0;
  }

  private void replay(Kv kv) {
    long start = System.nanoTime();
    Long events =
        kv.changes(Data.range("feed"), Versionstamp.ZERO, byte[].class)
            .filter(commit -> !commit.isBookmark())
            .take(commits)
            .count()
            .block();
    print("replayed commits/s", (events == null ? 0 : events) * 1e9 / (System.nanoTime() - start));
  }

  private void live(Kv kv, byte[] value) {
    LongAdder seen = new LongAdder();
    Disposable feed =
        kv.changes(Data.range("set")).map(KvCommit::changes).subscribe(c -> seen.add(c.size()));
    long start = System.nanoTime();
    double rate = sets(kv, value);
    double elapsed = (System.nanoTime() - start) / 1e9;
    feed.dispose();
    print("live: durable sets/s", rate);
    print("live: events/s, with the warm-up", seen.sum() / elapsed);
  }

  private double sets(Kv kv, byte[] value) {
    Loop loop = Loop.plain(Duration.ofSeconds(1), Duration.ofSeconds(seconds));
    return loop.rate(IN_FLIGHT, i -> kv.set(Data.key("set", i), value));
  }

  private Disposable idleFeeds(Kv kv) {
    Disposable.Composite all = Disposables.composite();
    IntStream.range(0, idle)
        .forEach(i -> all.add(kv.changes(KvRange.prefix(KvKey.of("idle", i))).subscribe()));
    return all;
  }

  private static void print(String what, double value) {
    System.out.printf(Locale.ROOT, "%-36s %,12.0f%n", what, value);
  }
}
