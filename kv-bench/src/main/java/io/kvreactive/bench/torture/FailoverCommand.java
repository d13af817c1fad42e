package io.kvreactive.bench.torture;

import io.kvreactive.Kv;
import io.kvreactive.bench.torture.PatroniCluster.Leader;
import io.kvreactive.bench.torture.PatroniCluster.Node;
import io.kvreactive.postgres.PostgresOptions;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import reactor.core.publisher.Mono;

/** Failovers of a PostgreSQL cluster while two engines work on a store in it. */
@Command(
    name = "failover",
    mixinStandardHelpOptions = true,
    description = {
      "Breaks the primary of a three-node Patroni cluster while two engines write.",
      "Needs Debian's packages postgresql, patroni and etcd-server."
    })
final class FailoverCommand implements Callable<Integer> {
  private static final Duration TIMEOUT = Duration.ofMinutes(3);

  /** Entries that are written after the cluster is healthy again. */
  private static final int ENTRIES_AFTERWARDS = 100;

  /** The time for which a primary is cut off: longer than the lease of its leadership, of 10 s. */
  private static final long CUT_MILLIS = 15_000;

  /**
   * The time for which a primary is paused, shorter than its lease. After a longer one, Patroni 3.0
   * without a watchdog may have two leaders.
   */
  private static final long PAUSE_MILLIS = 5000;

  private enum Fault {
    /** All processes of the server end by SIGKILL. */
    KILL(true),
    /** The server and Patroni stand still for half of the lease, and go on. */
    PAUSE(false),
    /** No byte passes between the node and others for longer than the lease. */
    CUT(true),
    /** The server stops at once, without a checkpoint. */
    RESTART(false);

    /** True if Patroni promotes another node in all cases. */
    final boolean promotes;

    Fault(boolean promotes) {
      this.promotes = promotes;
    }
  }

  @Option(names = "--rounds", description = "Faults (default: ${DEFAULT-VALUE}).")
  private int rounds = 4;

  @Option(names = "--seed", description = "Seed of the first round (default: a random one).")
  private long seed = ThreadLocalRandom.current().nextLong(1_000_000);

  @Option(names = "--keep", description = "Keep the logs of the cluster.")
  private boolean keep;

  @Override
  public Integer call() throws Exception {
    Path directory = Files.createTempDirectory("kv-failover");
    Vertx vertx = Vertx.vertx();
    int failed = 0;
    try (PatroniCluster cluster = new PatroniCluster(vertx, directory)) {
      System.out.println("cluster in " + directory + ", seed " + seed);
      cluster.awaitHealthy(1);
      PostgresOptions options =
          PostgresOptions.at(cluster.url())
              .withTimeouts(Duration.ofSeconds(3), Duration.ofSeconds(10));
      Kv one = opened(vertx, options);
      Kv two = opened(vertx, options);
      Ledger ledger = new Ledger(List.of(one, two));
      ledger.open();
      for (int round = 0; round < rounds; round++) {
        failed += round(cluster, ledger, round, seed + round) ? 0 : 1;
      }
      ledger.close();
      one.close().block(TIMEOUT);
      two.close().block(TIMEOUT);
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
      if (!keep && failed == 0) {
        new ProcessBuilder("rm", "-rf", directory.toString()).start().waitFor();
      }
    }
    System.out.println(failed == 0 ? "all rounds passed" : failed + " rounds failed");
    return failed == 0 ? 0 : 1;
  }

  private static Kv opened(Vertx vertx, PostgresOptions options) {
    return Objects.requireNonNull(Kv.open(vertx, options).block(TIMEOUT), "a store");
  }

  private static boolean round(PatroniCluster cluster, Ledger ledger, int round, long seed)
      throws IOException, InterruptedException {
    Random random = new Random(seed);
    Fault fault = Fault.values()[round % Fault.values().length];
    Leader primary = cluster.awaitHealthy(1);
    long began = System.nanoTime();
    Mono<Void> writing = ledger.write(seed);
    Thread.sleep(500 + random.nextInt(2000));
    int before = ledger.answered();
    inflict(fault, primary.node());
    Leader next = cluster.awaitHealthy(primary.timeline() + (fault.promotes ? 1 : 0));
    int during = ledger.answered() - before;
    awaitEntries(ledger, ledger.answered() + ENTRIES_AFTERWARDS);
    ledger.stop();
    writing.block(TIMEOUT);
    List<String> wrong = ledger.check();
    System.out.printf(
        "round %d, seed %d, %s of %s: primary %s after %.1f s, %d entries meanwhile; %s: %s%n",
        round + 1,
        seed,
        fault,
        primary.node().name,
        next.node().name,
        (System.nanoTime() - began) / 1e9,
        during,
        ledger.summary(),
        wrong.isEmpty() ? "passed" : "FAILED");
    wrong.forEach(each -> System.out.println("  " + each));
    return wrong.isEmpty();
  }

  /** Waits until the engines write to the primary of after the fault. */
  private static void awaitEntries(Ledger ledger, int count) throws InterruptedException {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (ledger.answered() < count && System.nanoTime() < deadline) {
      Thread.sleep(100);
    }
  }

  private static void inflict(Fault fault, Node primary) throws IOException, InterruptedException {
    switch (fault) {
      case KILL -> primary.kill();
      case RESTART -> primary.restart();
      case PAUSE -> {
        primary.pause();
        Thread.sleep(PAUSE_MILLIS);
        primary.resume();
      }
      case CUT -> {
        primary.cut();
        Thread.sleep(CUT_MILLIS);
        primary.heal();
      }
    }
    Thread.sleep(2000); // until Patroni has noticed
  }
}
