package io.kvreactive.bench.load;

import io.kvreactive.bench.Data;
import io.kvreactive.bench.Machine;
import io.kvreactive.bench.OpenStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import reactor.core.publisher.Flux;

/** Loads entries, a thousand in each commit, until the end or until the process is killed. */
@Command(
    name = "load",
    mixinStandardHelpOptions = true,
    description = "Loads entries of 100 bytes and prints the number of answered entries.")
public final class LoadCommand implements Callable<Integer> {
  static final String ANSWERED = "answered ";
  static final String KIND = "load";
  private static final int IN_FLIGHT = 8;

  @Option(names = "--dir", required = true, description = "Directory of the store.")
  private Path directory = Path.of("");

  @Option(names = "--count", required = true, description = "Entries to add.")
  private int count;

  @Option(names = "--from", description = "Number of the first entry (default: ${DEFAULT-VALUE}).")
  private int from;

  @Override
  public Integer call() throws IOException {
    try (OpenStore store = new OpenStore(directory)) {
      long start = System.nanoTime();
      Flux.range(0, count / Data.SETS_PER_COMMIT)
          .map(i -> from + i * Data.SETS_PER_COMMIT)
          .flatMapSequential(
              first ->
                  Data.commitFrom(store.kv(), KIND, first).thenReturn(first + Data.SETS_PER_COMMIT),
              IN_FLIGHT)
          .doOnNext(answered -> System.out.println(ANSWERED + answered))
          .blockLast();
      double seconds = (System.nanoTime() - start) / 1e9;
      System.out.printf(
          "loaded %,d entries in %.1f s: %,.0f/s, peak RSS %.0f MiB%n",
          count, seconds, count / seconds, Machine.memoryMiB("VmHWM"));
    }
    return 0;
  }
}
