package io.kvreactive.bench;

import io.kvreactive.bench.codec.JmhCommand;
import io.kvreactive.bench.compare.CompareCommand;
import io.kvreactive.bench.compare.ConstantCommand;
import io.kvreactive.bench.compare.EnginesCommand;
import io.kvreactive.bench.compare.OursCommand;
import io.kvreactive.bench.compare.RemoteCommand;
import io.kvreactive.bench.index.IndexCommand;
import io.kvreactive.bench.index.SpatialCommand;
import io.kvreactive.bench.load.BackupBenchCommand;
import io.kvreactive.bench.load.ExpireCommand;
import io.kvreactive.bench.load.FeedCommand;
import io.kvreactive.bench.load.LoadCommand;
import io.kvreactive.bench.load.OpenCommand;
import io.kvreactive.bench.load.QueueBenchCommand;
import io.kvreactive.bench.load.RestartCommand;
import io.kvreactive.bench.load.SizeCommand;
import io.kvreactive.bench.load.SmallHeapCommand;
import io.kvreactive.bench.load.UseCommand;
import io.kvreactive.bench.peers.PeerCommand;
import io.kvreactive.bench.peers.PeersCommand;
import io.kvreactive.bench.torture.TortureCommand;
import io.kvreactive.bench.vector.VectorCommand;
import io.kvreactive.bench.web.RestCommand;
import io.kvreactive.bench.web.RestLoadCommand;
import io.kvreactive.bench.web.StreamServerCommand;
import io.kvreactive.bench.web.WatchersCommand;
import io.kvreactive.bench.web.WebSocketListCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry point of all measurements. Without a command, runs {@link CompareCommand}. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description = "Measures the store; without a command: compare.",
    subcommands = {
      CompareCommand.class,
      EnginesCommand.class,
      PeersCommand.class,
      PeerCommand.class,
      RemoteCommand.class,
      ServerCommand.class,
      ConstantCommand.class,
      RestartCommand.class,
      SmallHeapCommand.class,
      SizeCommand.class,
      JmhCommand.class,
      OursCommand.class,
      LoadCommand.class,
      OpenCommand.class,
      UseCommand.class,
      ExpireCommand.class,
      FeedCommand.class,
      QueueBenchCommand.class,
      BackupBenchCommand.class,
      IndexCommand.class,
      SpatialCommand.class,
      VectorCommand.class,
      WebSocketListCommand.class,
      WatchersCommand.class,
      StreamServerCommand.class,
      RestCommand.class,
      RestLoadCommand.class,
      TortureCommand.class
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
    CommandLine line = new CommandLine(new BenchMain()).setCaseInsensitiveEnumValuesAllowed(true);
    System.exit(line.execute(all));
  }
}
