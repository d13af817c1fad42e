package io.kvreactive.bench.peers;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.bench.Data;
import io.kvreactive.bench.Directories;
import io.kvreactive.bench.OpenStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Measures one figure of one store in this process, and prints a line of JSON. */
@Command(
    name = "peer",
    hidden = true,
    mixinStandardHelpOptions = true,
    description = "Measures one figure of one store in this process, for peers.")
public final class PeerCommand implements Callable<Integer> {
  private static final int ENTRIES = 100_000;
  private static final int IN_FLIGHT = 64;

  @Option(names = "--store", required = true, description = "The store: ${COMPLETION-CANDIDATES}.")
  private PeerStore store = PeerStore.OURS;

  @Option(names = "--only", required = true, description = "Figure: ${COMPLETION-CANDIDATES}.")
  private Figure figure = Figure.SETS1;

  @Option(names = "--seconds", required = true, description = "Seconds measured.")
  private double seconds;

  @Option(names = "--warm-up", required = true, description = "Seconds of warm-up.")
  private double warmUp;

  @Option(names = "--dir", required = true, description = "Directory for the store.")
  private Path directory = Path.of("");

  @Override
  public Integer call() throws Exception {
    Path fresh = Directories.fresh(directory, "peer");
    try {
      System.out.println((store == PeerStore.OURS ? ours(fresh) : peer(fresh)).json().encode());
    } finally {
      Directories.remove(fresh);
    }
    return 0;
  }

  private PeerMeasure ours(Path fresh) throws Exception {
    try (OpenStore open = new OpenStore(KvOptions.at(fresh.resolve("store")))) {
      Kv kv = open.kv();
      byte[] value = Data.value();
      if (isSet()) {
        return signalled(number -> kv.set(Data.key("set", number), value));
      }
      Flux.range(0, ENTRIES / Data.SETS_PER_COMMIT)
          .concatMap(i -> Data.commitFrom(kv, "get", i * Data.SETS_PER_COMMIT))
          .blockLast();
      return figure == Figure.GETS64
          ? PeerMeasure.onEventLoops(
              open.vertx(),
              IN_FLIGHT,
              warmUp(),
              seconds(),
              number ->
                  kv.get(random(), byte[].class)
                      .doOnNext(entry -> PeerMeasure.required(entry.value())))
          : PeerMeasure.onThreads(1, warmUp(), seconds(), () -> list(kv));
    }
  }

  private static int list(Kv kv) {
    return whole(
        kv.list(Data.range("get"), byte[].class)
            .doOnNext(entry -> PeerMeasure.required(entry.value()))
            .count()
            .blockOptional()
            .orElseThrow());
  }

  private static int whole(long count) {
    if (count != ENTRIES) {
      throw new IllegalStateException(
          "a list has " + count + " entries (expected: " + ENTRIES + ")");
    }
    return ENTRIES;
  }

  private PeerMeasure peer(Path fresh) throws Exception {
    try (Peer peer = open(Files.createDirectory(fresh.resolve("store")))) {
      byte[] value = Data.value();
      if (isSet()) {
        try (GroupCommit sets = new GroupCommit(peer)) {
          return signalled(number -> sets.set(Data.key("set", number).bytes(), value));
        }
      }
      for (int first = 0; first < ENTRIES; first += Data.SETS_PER_COMMIT) {
        peer.put(
            IntStream.range(first, first + Data.SETS_PER_COMMIT)
                .mapToObj(number -> new Peer.Entry(Data.key("get", number).bytes(), value))
                .toList());
      }
      if (figure == Figure.LIST) {
        return PeerMeasure.onThreads(
            1, warmUp(), seconds(), () -> whole(peer.list(Data.range("get"))));
      }
      int cores = Runtime.getRuntime().availableProcessors();
      return PeerMeasure.onThreads(
          cores,
          warmUp(),
          seconds(),
          () -> {
            PeerMeasure.required(peer.get(random().bytes()));
            return 1;
          });
    }
  }

  private Peer open(Path fresh) throws Exception {
    return switch (store) {
      case ROCKSDB -> new RocksPeer(fresh);
      case LMDB -> new LmdbPeer(fresh);
      case MVSTORE -> new MvStorePeer(fresh);
      case XODUS -> new XodusPeer(fresh);
      case SQLITE -> new SqlitePeer(fresh);
      case OURS, DENO -> throw new IllegalArgumentException(store + " has no calls that block");
    };
  }

  private boolean isSet() {
    return figure == Figure.SETS1 || figure == Figure.SETS64;
  }

  private PeerMeasure signalled(IntFunction<Mono<?>> operation) {
    int inFlight = figure == Figure.SETS1 ? 1 : IN_FLIGHT;
    return PeerMeasure.inFlight(inFlight, warmUp(), seconds(), operation);
  }

  private Duration warmUp() {
    return Duration.ofMillis((long) (warmUp * 1000));
  }

  private Duration seconds() {
    return Duration.ofMillis((long) (seconds * 1000));
  }

  private static KvKey random() {
    return Data.key("get", ThreadLocalRandom.current().nextInt(ENTRIES));
  }

  /** Returns the arguments of this command in a child JVM. */
  static List<String> arguments(
      PeerStore store, Figure figure, double seconds, double warmUp, Path directory) {
    return List.of(
        "peer",
        "--store=" + store,
        "--only=" + figure,
        "--seconds=" + seconds,
        "--warm-up=" + warmUp,
        "--dir=" + directory);
  }
}
