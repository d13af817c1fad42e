package io.kvreactive.bench.load;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.bench.Data;
import io.kvreactive.bench.Loop;
import io.kvreactive.bench.Machine;
import io.kvreactive.bench.OpenStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures gets, a list of all entries and sets on a loaded store, and the memory of the process.
 */
@Command(
    name = "use",
    mixinStandardHelpOptions = true,
    description = "Random gets, one list of everything and sets on a loaded store.")
public final class UseCommand implements Callable<Integer> {
  @Option(names = "--dir", required = true, description = "Directory of the store.")
  private Path directory = Path.of("");

  @Option(names = "--count", required = true, description = "Number of entries in the store.")
  private int count;

  @Option(
      names = "--seconds",
      description = "Seconds per kind of work (default: ${DEFAULT-VALUE}).")
  private double seconds = 5;

  @Override
  public Integer call() throws IOException {
    long start = System.nanoTime();
    try (OpenStore store = new OpenStore(directory)) {
      print("open, ms", (System.nanoTime() - start) / 1e6);
      Duration time = Duration.ofMillis((long) (seconds * 1000));
      Loop loop = Loop.plain(Duration.ofSeconds(2), time);
      Kv kv = store.kv();
      print("gets/s, 64 in flight", loop.rate(64, i -> kv.get(random(), byte[].class)));
      print("listed entries/s", list(kv));
      byte[] value = Data.value();
      print("durable sets/s, 64 in flight", loop.rate(64, i -> kv.set(Data.key("set", i), value)));
      print("random overwrites/s, 64 in flight", loop.rate(64, i -> kv.set(random(), value)));
    }
    print("heap, MiB", Runtime.getRuntime().maxMemory() / 1048576.0);
    for (String field : new String[] {"VmHWM", "RssAnon", "RssFile"}) {
      print(field + ", MiB", Machine.memoryMiB(field));
    }
    return 0;
  }

  private KvKey random() {
    return Data.key(LoadCommand.KIND, ThreadLocalRandom.current().nextInt(count));
  }

  private double list(Kv kv) {
    long start = System.nanoTime();
    Long listed = kv.list(Data.range(LoadCommand.KIND), byte[].class).count().block();
    if (listed == null || listed < count) {
      throw new IllegalStateException(listed + " entries listed (expected: " + count + ")");
    }
    return listed * 1e9 / (System.nanoTime() - start);
  }

  private static void print(String what, double value) {
    System.out.printf(Locale.ROOT, "%-36s %,12.0f%n", what, value);
  }
}
