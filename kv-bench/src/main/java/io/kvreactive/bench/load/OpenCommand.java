package io.kvreactive.bench.load;

import io.kvreactive.bench.Data;
import io.kvreactive.bench.OpenStore;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Opens a store and reads an entry that must exist. The elapsed time is the restart time. */
@Command(
    name = "open",
    mixinStandardHelpOptions = true,
    description = "Opens a loaded store; prints the milliseconds until the first get is answered.")
public final class OpenCommand implements Callable<Integer> {
  static final String MILLIS = "opened in ms: ";

  @Option(names = "--dir", required = true, description = "Directory of the store.")
  private Path directory = Path.of("");

  @Option(names = "--answered", required = true, description = "Number of answered entries.")
  private int answered;

  @Option(names = "--count-all", description = "Also counts all entries.")
  private boolean countAll;

  @Override
  public Integer call() {
    long start = System.nanoTime();
    try (OpenStore store = new OpenStore(directory)) {
      var last = store.kv().get(Data.key(LoadCommand.KIND, answered - 1), byte[].class).block();
      System.out.println(MILLIS + (System.nanoTime() - start) / 1e6);
      if (last == null || !last.exists()) {
        System.err.println("LOST: entry " + (answered - 1) + ", though its commit was answered");
        return 1;
      }
      if (countAll) {
        Long all = store.kv().count(Data.range(LoadCommand.KIND)).block();
        if (all == null || all < answered || all % Data.SETS_PER_COMMIT != 0) {
          System.err.println("LOST or torn: " + all + " entries, " + answered + " answered");
          return 1;
        }
      }
    }
    return 0;
  }
}
