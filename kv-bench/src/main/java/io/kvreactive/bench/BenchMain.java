package io.kvreactive.bench;

import io.kvreactive.bench.codec.JmhCommand;
import io.kvreactive.bench.compare.CompareCommand;
import io.kvreactive.bench.compare.OursCommand;
import io.kvreactive.bench.load.LoadCommand;
import io.kvreactive.bench.load.OpenCommand;
import io.kvreactive.bench.load.RestartCommand;
import io.kvreactive.bench.load.SmallHeapCommand;
import io.kvreactive.bench.load.UseCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Entry point of all measurements; without a command it compares with Deno KV. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description = "Measures the store; without a command: compare.",
    subcommands = {
      CompareCommand.class,
      RestartCommand.class,
      SmallHeapCommand.class,
      JmhCommand.class,
      OursCommand.class,
      LoadCommand.class,
      OpenCommand.class,
      UseCommand.class
    })
public final class BenchMain {
  private BenchMain() {}

  public static void main(String[] args) {
    String[] all = args;
    if (args.length == 0 || args[0].startsWith("--") && !"--help".equals(args[0])) {
      all = new String[args.length + 1];
      all[0] = "compare";
      System.arraycopy(args, 0, all, 1, args.length);
    }
    System.exit(new CommandLine(new BenchMain()).execute(all));
  }
}
