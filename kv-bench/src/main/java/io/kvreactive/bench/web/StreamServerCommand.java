package io.kvreactive.bench.web;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRecord;
import io.kvreactive.bench.Directories;
import io.kvreactive.web.ConnectionOptions;
import io.kvreactive.web.KvServer;
import io.kvreactive.web.OperationsOptions;
import io.kvreactive.web.ServerOptions;
import io.vertx.core.Vertx;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import reactor.core.publisher.Flux;

/**
 * A server that executes the commands of its standard input, one in each line: {@code load N},
 * {@code commit KEYS RATE SECONDS}, {@code heap}. Each command is answered by a line.
 */
@Command(name = "stream-server", hidden = true)
public final class StreamServerCommand implements Callable<Integer> {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final int CONNECTIONS = 20_000;

  @Option(names = "--dir", required = true)
  private Path directory = Path.of("target");

  @Option(names = "--token", required = true)
  private String token = "";

  private final Vertx vertx = Vertx.vertx();

  @Override
  public Integer call() throws IOException {
    Path path = Directories.fresh(directory, "stream");
    AtomicReference<String> name = new AtomicReference<>("");
    OperationsOptions operations =
        OperationsOptions.DEFAULT.withStores(options -> named(options, name));
    ServerOptions options =
        ServerOptions.at(path)
            .withAddress("127.0.0.1", 0)
            .withToken(token)
            .withOperations(operations)
            .withConnections(ConnectionOptions.DEFAULT.withMax(CONNECTIONS, CONNECTIONS));
    KvServer server =
        Objects.requireNonNull(KvServer.start(vertx, options).block(TIMEOUT), "a server");
    Kv kv =
        Objects.requireNonNull(
            Kv.named(vertx, Objects.requireNonNull(name.get())).block(TIMEOUT), "its store");
    System.out.println(server.uri());
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ", -1);
        System.out.println(
            switch (words[0]) {
              case "load" -> load(kv, Integer.parseInt(words[1]));
              case "commit" ->
                  commit(
                      kv,
                      Integer.parseInt(words[1]),
                      Integer.parseInt(words[2]),
                      Integer.parseInt(words[3]));
              default -> heap();
            });
      }
    }
    server.close().block(TIMEOUT);
    Directories.remove(path);
    return 0;
  }

  private static KvOptions named(KvOptions options, AtomicReference<String> name) {
    name.set(options.name());
    return options;
  }

  /** Stores small entries of about 100 bytes of JSON. */
  private static String load(Kv kv, int entries) {
    Flux<KvRecord> records =
        Flux.range(0, entries)
            .map(
                i ->
                    KvRecord.of(KvKey.of("users", i), Map.of("name", "user " + i, "age", i % 100)));
    kv.load(records).blockLast(TIMEOUT);
    return "loaded " + entries;
  }

  /** Commits at a constant rate. Each value is the time of its commit in microseconds. */
  private static String commit(Kv kv, int keys, int rate, int seconds) {
    long step = TimeUnit.SECONDS.toNanos(1) / rate;
    long start = System.nanoTime();
    int commits = rate * seconds;
    for (int i = 0; i < commits; i++) {
      long due = start + i * step;
      while (System.nanoTime() < due) {
        LockSupport.parkNanos(due - System.nanoTime());
      }
      double micros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
      kv.set(KvKey.of("watched", i % keys), micros)
          .subscribe(stamp -> {}, Throwable::printStackTrace);
    }
    return "committed " + commits;
  }

  /** Returns the number of used bytes of the heap after garbage collections. */
  private static String heap() {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      memory.gc();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
      least = Math.min(least, memory.getHeapMemoryUsage().getUsed());
    }
    return "heap " + least;
  }
}
