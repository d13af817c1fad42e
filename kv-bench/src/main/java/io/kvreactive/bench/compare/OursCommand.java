package io.kvreactive.bench.compare;

import io.kvreactive.KvOptions;
import io.kvreactive.bench.Directories;
import io.kvreactive.bench.Loop;
import io.kvreactive.bench.OpenStore;
import io.vertx.core.Context;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Runs the scenarios on this store only and prints one JSON line for each. Used by {@link
 * CompareCommand}, and with a profiler.
 */
@Command(
    name = "ours",
    mixinStandardHelpOptions = true,
    description = "Runs the scenarios on this store only, in this process.")
public final class OursCommand implements Callable<Integer> {
  /** The Vert.x context of the subscriber. */
  enum Caller {
    EVENTLOOP,
    NONE
  }

  @Mixin private final RunOptions run = new RunOptions();

  @Option(names = "--dir", description = "Directory for the stores (default: ${DEFAULT-VALUE}).")
  private Path directory = Path.of("target", "bench");

  @Option(
      names = "--context",
      description = "Vert.x context of the subscriber: ${COMPLETION-CANDIDATES}.")
  private Caller context = Caller.NONE;

  @Option(names = "--memory-mib", description = "KvOptions.memoryBytes (default: the library's).")
  private long memoryMiB;

  @Override
  public Integer call() throws IOException {
    for (Scenario scenario : run.scenarios()) {
      Path fresh = Directories.fresh(directory, "ours-" + scenario.id());
      System.out.println(line(scenario, measure(scenario, fresh)));
      Directories.remove(fresh);
    }
    return 0;
  }

  static String line(Scenario scenario, double value) {
    return new JsonObject().put("scenario", scenario.name()).put("value", value).encode();
  }

  private double measure(Scenario scenario, Path fresh) {
    try (OpenStore store = new OpenStore(options(fresh.resolve("store")))) {
      Loop loop = new Loop(seconds(run.warmUp), seconds(run.seconds), caller(store));
      return new OurScenarios(store.kv(), loop).run(scenario);
    }
  }

  private KvOptions options(Path directory) {
    KvOptions options = KvOptions.at(directory);
    return memoryMiB == 0 ? options : options.withMemoryBytes(memoryMiB << 20);
  }

  private Consumer<Runnable> caller(OpenStore store) {
    if (context == Caller.NONE) {
      return Runnable::run;
    }
    Context eventLoop = store.vertx().getOrCreateContext();
    return task -> eventLoop.runOnContext(ignored -> task.run());
  }

  static Duration seconds(double seconds) {
    return Duration.ofMillis((long) (seconds * 1000));
  }
}
