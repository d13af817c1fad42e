package io.kvreactive.bench.compare;

import io.kvreactive.bench.ChildJvm;
import io.kvreactive.bench.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Compares this store with Deno KV, in rounds. Each scenario has a process and a directory of its
 * own. The two sides of a scenario run one after the other, so that a slow period of the machine
 * affects both.
 */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    description = {
      "Compares this store with Deno KV on a file; ratios are medians over rounds.",
      "Durable sets, one in flight, are also compared with what one thread of fdatasync reaches."
    })
public final class CompareCommand implements Callable<Integer> {
  /** Minimum ratio of single durable sets to the syncs of one thread. */
  private static final double ROOF_TARGET = 0.9;

  @Mixin private final RunOptions run = new RunOptions();

  @Option(names = "--rounds", description = "Number of rounds (default: ${DEFAULT-VALUE}).")
  private int rounds = 3;

  @Option(names = "--dir", description = "Directory for the stores (default: ${DEFAULT-VALUE}).")
  private Path directory = Path.of("target", "bench");

  @Option(
      names = "--context",
      description = "Vert.x context of our subscriber: ${COMPLETION-CANDIDATES}.")
  private OursCommand.Caller context = OursCommand.Caller.NONE;

  @Option(names = "--heap", description = "-Xmx of our JVM (default: ${DEFAULT-VALUE}).")
  private String heap = "1g";

  @Option(
      names = "--strict",
      description = "Exit with 1 if a target is missed, or Deno is not available.")
  private boolean strict;

  @Override
  public Integer call() throws IOException {
    Optional<Deno> deno = deno();
    Results results = new Results(Scenario.targets(), "ours", "deno");
    Results roof = new Results(Map.of(Scenario.SETS1, ROOF_TARGET), "ours", "fdatasync");
    for (int round = 1; round <= rounds; round++) {
      for (Scenario scenario : run.scenarios()) {
        List<String> oursLines = ChildJvm.run(List.of("-Xmx" + heap), ours(scenario));
        progress("ours", round, oursLines);
        results.addOurs(oursLines);
        if (scenario == Scenario.SETS1) {
          List<String> syncs = List.of(OursCommand.line(scenario, roof()));
          progress("fdatasync", round, syncs);
          roof.addOurs(oursLines);
          roof.addTheirs(syncs);
        }
        if (deno.isPresent()) {
          List<String> denoLines = deno.get().run(directory, run.toArguments(scenario));
          progress("deno", round, denoLines);
          results.addTheirs(denoLines);
        }
      }
    }
    System.out.println();
    System.out.print(results.table());
    if (run.scenarios().contains(Scenario.SETS1)) {
      System.out.println();
      System.out.print(roof.table());
    }
    System.out.println(Machine.describe(directory) + ", ours with -Xmx" + heap);
    if (deno.isPresent()) {
      System.out.println(deno.get().version());
    }
    return strict && (deno.isEmpty() || !results.reached() || !roof.reached()) ? 1 : 0;
  }

  private double roof() throws IOException {
    return SyncRoof.rate(
        directory, OursCommand.seconds(run.warmUp), OursCommand.seconds(run.seconds));
  }

  private List<String> ours(Scenario scenario) {
    List<String> line = new ArrayList<>();
    line.addAll(List.of("ours", "--dir=" + directory, "--context=" + context));
    line.addAll(run.toArguments(scenario));
    return line;
  }

  private static void progress(String side, int round, List<String> lines) {
    System.err.println("round " + round + " " + side + ": " + String.join(" ", lines));
  }

  private static Optional<Deno> deno() {
    try {
      return Optional.of(Deno.find());
    } catch (IOException e) {
      System.err.println("no Deno, so only this store is measured: " + e.getMessage());
      return Optional.empty();
    }
  }
}
