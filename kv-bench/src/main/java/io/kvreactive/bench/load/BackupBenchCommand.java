package io.kvreactive.bench.load;

import io.kvreactive.BackupProgress;
import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvStores;
import io.kvreactive.RestoreOptions;
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
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Measures a backup during writes, and the rate of the writes during the backup. */
@Command(
    name = "backup",
    mixinStandardHelpOptions = true,
    description = "Backs up a loaded store during writes, and restores it.")
public final class BackupBenchCommand implements Callable<Integer> {
  private static final String KIND = "backup";
  private static final int LOADS_IN_FLIGHT = 8;
  private static final int WRITES_IN_FLIGHT = 64;
  private static final double MB = 1e6;

  @Option(names = "--dir", description = "Directory for the stores (default: ${DEFAULT-VALUE}).")
  private Path parent = Path.of("target", "bench");

  @Option(names = "--count", description = "Entries of 100 bytes (default: ${DEFAULT-VALUE}).")
  private int count = 1_000_000;

  @Option(
      names = "--seconds",
      description = "Seconds of writes without a backup (default: ${DEFAULT-VALUE}).")
  private double seconds = 5;

  @Override
  public Integer call() throws IOException {
    System.out.println(Machine.describe(parent));
    Path directory = Directories.fresh(parent, KIND);
    Path backup = directory.resolve("backup");
    try {
      BackupProgress taken;
      try (OpenStore store = new OpenStore(directory.resolve("store"))) {
        load(store.kv());
        Duration time = Duration.ofMillis((long) (seconds * 1000));
        byte[] value = Data.value();
        print(
            "durable sets/s, no backup",
            Loop.plain(Duration.ofSeconds(2), time)
                .rate(WRITES_IN_FLIGHT, i -> store.kv().set(random(), value)));
        taken = underLoad(store.kv(), backup);
        print("backup under load, MB/s", rate(taken.bytes(), taken.elapsed().toNanos()));
        print("backup under load, s", taken.elapsed().toMillis() / 1e3);
        BackupProgress alone = take(store.kv(), directory.resolve("alone"));
        print("backup without load, MB/s", rate(alone.bytes(), alone.elapsed().toNanos()));
      }
      print("keys and values, MB", taken.bytes() / MB);
      print("the backup's files, MB", Directories.size(backup) / MB);
      long start = System.nanoTime();
      KvStores.restore(backup, directory.resolve("restored"), RestoreOptions.DEFAULT).block();
      print("restore, MB/s", rate(taken.bytes(), System.nanoTime() - start));
      start = System.nanoTime();
      new OpenStore(directory.resolve("restored")).close();
      print("first open and close, s", (System.nanoTime() - start) / 1e9);
    } finally {
      Directories.remove(directory);
    }
    return 0;
  }

  private void load(Kv kv) {
    Flux.range(0, count / Data.SETS_PER_COMMIT)
        .flatMap(i -> Data.commitFrom(kv, KIND, i * Data.SETS_PER_COMMIT), LOADS_IN_FLIGHT)
        .blockLast();
  }

  private BackupProgress underLoad(Kv kv, Path backup) {
    LongAdder sets = new LongAdder();
    AtomicBoolean done = new AtomicBoolean();
    byte[] value = Data.value();
    Mono<Void> writers =
        Flux.range(0, Integer.MAX_VALUE)
            .takeWhile(i -> !done.get())
            .flatMap(i -> kv.set(random(), value), WRITES_IN_FLIGHT)
            .doOnNext(stamp -> sets.increment())
            .then()
            .cache();
    var unused = writers.subscribe();
    long start = System.nanoTime();
    BackupProgress taken = take(kv, backup);
    print("durable sets/s during the backup", sets.sum() * 1e9 / (System.nanoTime() - start));
    done.set(true);
    writers.block();
    return taken;
  }

  private static BackupProgress take(Kv kv, Path backup) {
    BackupProgress last = kv.admin().backup(backup).blockLast();
    if (last == null || !last.isDone()) {
      throw new IllegalStateException("incomplete backup: " + last);
    }
    return last;
  }

  private KvKey random() {
    return Data.key(KIND, ThreadLocalRandom.current().nextInt(count));
  }

  private static double rate(long bytes, long nanos) {
    return bytes / MB * 1e9 / nanos;
  }

  private static void print(String what, double value) {
    System.out.printf(Locale.ROOT, "%-36s %,12.1f%n", what, value);
  }
}
