package io.kvreactive.bench.compare;

import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvOptions;
import io.kvreactive.bench.ChildServer;
import io.kvreactive.bench.Directories;
import io.kvreactive.bench.Loop;
import io.kvreactive.bench.Machine;
import io.kvreactive.bench.index.IndexSide;
import io.kvreactive.postgres.PostgresOptions;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import reactor.core.publisher.Mono;

/** Runs the same operations on all engines, one engine after another, each on a new store. */
@Command(
    name = "engines",
    mixinStandardHelpOptions = true,
    description = {
      "Measures durable sets, gets, lists and creates of documents on all engines.",
      "PostgreSQL is started from the installed binaries, with fsync=on."
    })
public final class EnginesCommand implements Callable<Integer> {
  private static final Duration OPENING = Duration.ofMinutes(1);
  private static final int GROUP = 64;

  /** The engines, in the order of the table. */
  enum Engine {
    EMBEDDED("embedded"),
    POSTGRES("PostgreSQL"),
    SYNCHRONOUS("with standby"),
    REMOTE("KV Connect"),
    DENO("Deno's file");

    private final String title;

    Engine(String title) {
      this.title = title;
    }
  }

  /** The rows of the table. */
  enum Figure {
    SETS1("durable sets, 1 in flight"),
    RAW1("  raw function calls of 1 set"),
    SETS64("durable sets, 64 in flight"),
    RAW64("  raw function calls of 64 sets"),
    GETS64("gets, 64 in flight"),
    LIST("list of a prefix, entries"),
    CREATES64("creates of documents, 64 in flight");

    private final String title;

    Figure(String title) {
      this.title = title;
    }

    private boolean isRaw() {
      return this == RAW1 || this == RAW64;
    }
  }

  @Mixin private final RunOptions run = new RunOptions();

  @Option(names = "--figures", split = ",", description = "Rows: ${COMPLETION-CANDIDATES}.")
  private Set<Figure> figures = EnumSet.allOf(Figure.class);

  @Option(names = "--engines", split = ",", description = "Columns: ${COMPLETION-CANDIDATES}.")
  private Set<Engine> engines = EnumSet.allOf(Engine.class);

  @Option(names = "--dir", description = "Directory for the stores (default: ${DEFAULT-VALUE}).")
  private Path directory = Path.of("target", "bench");

  @Option(
      names = "--postgres-dir",
      description =
          "Directory for PostgreSQL, in which the user postgres may read (default: the directory"
              + " for temporary files).")
  private Path postgresDirectory = Path.of(System.getProperty("java.io.tmpdir"));

  @Option(
      names = "--url",
      description =
          "Measure this PostgreSQL server in the column POSTGRES, in a schema that does not exist"
              + " yet, instead of starting one.")
  private @Nullable String url;

  @Option(names = "--heap", description = "-Xmx of the server (default: ${DEFAULT-VALUE}).")
  private String heap = "1g";

  private final Map<Engine, Map<Figure, Double>> results = new EnumMap<>(Engine.class);

  @Override
  public Integer call() throws IOException {
    System.err.println(load());
    for (Engine engine : EnumSet.copyOf(engines)) {
      results.put(engine, new EnumMap<>(Figure.class));
      switch (engine) {
        case EMBEDDED -> onDirectory(this::onEmbedded);
        case POSTGRES -> onPostgres(engine, false);
        case SYNCHRONOUS -> onPostgres(engine, true);
        case REMOTE -> onDirectory(this::onServer);
        case DENO -> onDeno();
      }
    }
    System.out.print(table());
    System.out.println(Machine.describe(directory) + "; PostgreSQL with fsync=on; per second");
    System.out.println(load());
    return 0;
  }

  private static String load() {
    return String.format(
        Locale.ROOT,
        "load average of the machine: %.2f",
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }

  private interface Side {
    void measure(Path fresh) throws IOException;
  }

  private void onDirectory(Side side) throws IOException {
    Path fresh = Directories.fresh(directory, "engines");
    try {
      side.measure(fresh);
    } finally {
      Directories.remove(fresh);
    }
  }

  private void onEmbedded(Path fresh) {
    on(Engine.EMBEDDED, vertx -> Kv.open(vertx, KvOptions.at(fresh.resolve("store"))));
  }

  private void onServer(Path fresh) throws IOException {
    try (ChildServer server = new ChildServer(fresh.resolve("store"), heap)) {
      on(Engine.REMOTE, vertx -> Kv.connect(vertx, server.url(), ChildServer.TOKEN));
    }
  }

  private void onPostgres(Engine engine, boolean standby) throws IOException {
    if (url != null && !standby) {
      onPostgres(engine, PostgresOptions.at(url));
      return;
    }
    try (PostgresCluster cluster = PostgresCluster.start(postgresDirectory, standby)) {
      onPostgres(engine, PostgresOptions.at(cluster.url("kv")));
    }
  }

  private void onPostgres(Engine engine, PostgresOptions options) {
    on(engine, vertx -> Kv.open(vertx, options));
    try (RawCalls raw = new RawCalls(options)) {
      for (Figure figure : EnumSet.copyOf(figures)) {
        if (figure.isRaw()) {
          add(engine, figure, raw.rate(figure == Figure.RAW1 ? 1 : GROUP, loop()));
        }
      }
    }
  }

  private void on(Engine engine, Function<Vertx, Mono<Kv>> opening) {
    Vertx vertx = Vertx.vertx();
    try {
      Kv kv = Objects.requireNonNull(opening.apply(vertx).block(OPENING), "a store");
      for (Figure figure : EnumSet.copyOf(figures)) {
        if (!figure.isRaw()) {
          try {
            add(engine, figure, measured(kv, figure));
          } catch (KvException e) {
            if (e.code() != KvErrorCode.UNSUPPORTED) {
              throw e;
            }
          }
        }
      }
      kv.close().block(OPENING);
    } finally {
      vertx.close().await();
    }
  }

  private double measured(Kv kv, Figure figure) {
    if (figure != Figure.CREATES64) {
      return new OurScenarios(kv, loop()).run(Scenario.valueOf(figure.name()));
    }
    IndexSide index = new IndexSide(kv);
    return loop().rate(GROUP, index::grow);
  }

  private Loop loop() {
    return Loop.plain(
        Duration.ofMillis((long) (run.warmUp * 1000)),
        Duration.ofMillis((long) (run.seconds * 1000)));
  }

  private void onDeno() throws IOException {
    Deno deno;
    try {
      deno = Deno.find();
    } catch (IOException e) {
      System.err.println("no Deno: " + e.getMessage());
      return;
    }
    for (Figure figure : EnumSet.copyOf(figures)) {
      if (!figure.isRaw() && figure != Figure.CREATES64) {
        Scenario scenario = Scenario.valueOf(figure.name());
        for (String line : deno.run(directory, run.toArguments(scenario))) {
          if (line.startsWith("{")) {
            add(Engine.DENO, figure, new JsonObject(line).getDouble("value"));
          }
        }
      }
    }
  }

  private void add(Engine engine, Figure figure, double rate) {
    Objects.requireNonNull(results.get(engine), "a column").put(figure, rate);
    System.err.printf(Locale.ROOT, "%s, %s: %,.0f/s%n", engine.title, figure.title.strip(), rate);
  }

  private String table() {
    StringBuilder table = new StringBuilder("%-36s".formatted(""));
    results.keySet().forEach(engine -> table.append("%14s".formatted(engine.title)));
    table.append(System.lineSeparator());
    for (Figure figure : EnumSet.copyOf(figures)) {
      table.append("%-36s".formatted(figure.title));
      for (Map<Figure, Double> column : results.values()) {
        Double rate = column.get(figure);
        table.append(
            "%14s".formatted(rate == null ? "-" : String.format(Locale.ROOT, "%,.0f", rate)));
      }
      table.append(System.lineSeparator());
    }
    return table.toString();
  }
}
