package io.kvreactive.bench.compare;

import io.kvreactive.bench.ChildServer;
import io.kvreactive.bench.Directories;
import io.kvreactive.bench.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Runs the same Deno script on two stores, in rounds: over KV Connect on our server at the loopback
 * address, and on Deno's own file store in its own process.
 */
@Command(
    name = "remote",
    mixinStandardHelpOptions = true,
    description = "Deno over KV Connect to our server, against Deno on its own file store.")
public final class RemoteCommand implements Callable<Integer> {
  private static final Map<Scenario, Double> TARGETS =
      Map.of(Scenario.SETS64, 1.5, Scenario.GETS64, 0.5, Scenario.LIST, 0.5);

  private static final Set<Scenario> CONSTANT =
      Set.of(Scenario.SETS64, Scenario.SETS1, Scenario.GETS64);

  /**
   * Duration of the warm-up in seconds. A real server runs for months, and here its compiler shares
   * two cores with Deno. A list makes only a few hundred requests per second: after 8 s, the
   * compiler still takes more of the server's time than the responses do; after 30 s nearly none.
   */
  private static final double WARM_UP_SECONDS = 30;

  @Mixin private final RunOptions run = new RunOptions(WARM_UP_SECONDS);

  @Option(names = "--rounds", description = "Number of rounds (default: ${DEFAULT-VALUE}).")
  private int rounds = 3;

  @Option(names = "--dir", description = "Directory for the stores (default: ${DEFAULT-VALUE}).")
  private Path directory = Path.of("target", "bench");

  @Option(names = "--heap", description = "-Xmx of the server (default: ${DEFAULT-VALUE}).")
  private String heap = "1g";

  @Option(
      names = "--constant",
      description =
          "Also measure a server without a store, which gives constant answers (sets, gets).")
  private boolean constant;

  @Option(names = "--strict", description = "Exit with 1 if a target is missed.")
  private boolean strict;

  @Override
  public Integer call() throws IOException {
    Deno deno = Deno.find();
    Results results = new Results(TARGETS, "our server", "deno's file");
    Results most = new Results(Map.of(), "constant", "deno's file");
    Set<Scenario> requested = run.scenarios();
    for (int round = 1; round <= rounds; round++) {
      for (Scenario scenario : requested) {
        results.addOurs(progress("server", round, onOurServer(deno, scenario)));
        List<String> own = progress("deno", round, deno.run(directory, run.toArguments(scenario)));
        results.addTheirs(own);
        if (constant && CONSTANT.contains(scenario)) {
          most.addOurs(progress("constant", round, onConstants(deno, scenario)));
          most.addTheirs(own);
        }
      }
    }
    System.out.println();
    System.out.print(results.table());
    if (constant) {
      System.out.print(most.table());
    }
    System.out.println(Machine.describe(directory) + ", the server with -Xmx" + heap);
    System.out.println(deno.version());
    return strict && !results.reached() ? 1 : 0;
  }

  private List<String> onOurServer(Deno deno, Scenario scenario) throws IOException {
    Path store = Directories.fresh(directory, "server");
    try (ChildServer server = new ChildServer(store, heap)) {
      return on(server, deno, scenario);
    } finally {
      Directories.remove(store);
    }
  }

  private List<String> onConstants(Deno deno, Scenario scenario) throws IOException {
    try (ChildServer server = new ChildServer(heap, List.of(ConstantCommand.NAME))) {
      return on(server, deno, scenario);
    }
  }

  private List<String> on(ChildServer server, Deno deno, Scenario scenario) throws IOException {
    List<String> arguments = new ArrayList<>(run.toArguments(scenario));
    arguments.add("--url=" + server.url());
    return deno.run(directory, arguments, ChildServer.TOKEN);
  }

  private static List<String> progress(String side, int round, List<String> lines) {
    System.err.println("round " + round + " " + side + ": " + String.join(" ", lines));
    return lines;
  }
}
