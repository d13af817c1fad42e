package io.kvreactive.crash;

import io.kvreactive.BatchedAtomicOperation;
import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvLimits;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRecord;
import io.kvreactive.KvStores;
import io.kvreactive.LoadOptions;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The process under test: endlessly loads, commits long operations, runs transactions and restores
 * a backup. It prints the progress of each in a line that ends with a full stop before continuing,
 * so at most one operation of each kind is complete and not printed. See {@link BulkKillTest}.
 */
final class BulkKillChild {
  static final int BATCH = 300;
  static final KvKey FROM = KvKey.of("account", "from");
  static final KvKey TO = KvKey.of("account", "to");
  static final KvKey COUNTER = KvKey.of("counter");

  private BulkKillChild() {}

  /** Arguments: the store; the backup; where to restore; the next load, batch and restore. */
  public static void main(String[] args) {
    Vertx vertx = Vertx.vertx();
    Kv kv = Kv.open(vertx, options(Path.of(args[0]))).block();
    System.out.println("open");
    Path backup = Path.of(args[1]);
    Path restored = Path.of(args[2]);
    Flux.merge(
            loads(kv, Integer.parseInt(args[3])),
            batches(kv, Integer.parseInt(args[4])),
            transfers(kv),
            updates(kv),
            restores(backup, restored, Integer.parseInt(args[5])))
        .blockLast();
  }

  static KvOptions options(Path store) {
    return KvOptions.at(store)
        .withMemoryBytes(1 << 20)
        .withLimits(KvLimits.DEFAULT.withMaxMutations(100));
  }

  private static Flux<String> loads(Kv kv, int from) {
    Flux<KvRecord> records =
        Flux.range(from, Integer.MAX_VALUE - from).map(n -> KvRecord.of(KvKey.of("loaded", n), n));
    return kv.load(records, LoadOptions.DEFAULT.withBatchEntries(50))
        .map(progress -> "loaded " + (from + progress.entries()) + " .")
        .doOnNext(System.out::println);
  }

  private static Flux<String> batches(Kv kv, int from) {
    return Flux.range(from, Integer.MAX_VALUE - from)
        .concatMap(
            n -> {
              BatchedAtomicOperation batch = kv.batchedAtomic();
              for (int i = 0; i < BATCH; i++) {
                batch.set(KvKey.of("batched", n, i), n);
              }
              return batch
                  .commit()
                  .then(Mono.just("batched " + (n + 1) + " ."))
                  .doOnNext(System.out::println);
            },
            1);
  }

  /** Moves one from an account to the other, and prints the number of moves. */
  private static Flux<String> transfers(Kv kv) {
    return kv.transact(
            tx ->
                Mono.zip(tx.get(FROM, Integer.class), tx.get(TO, Integer.class))
                    .map(
                        read -> {
                          int moved = value(read.getT2().value()) + 1;
                          tx.set(FROM, value(read.getT1().value()) - 1).set(TO, moved);
                          return moved;
                        }))
        .map(moved -> "moved " + moved + " .")
        .doOnNext(System.out::println)
        .repeat();
  }

  private static Flux<String> updates(Kv kv) {
    return kv.update(COUNTER, Integer.class, entry -> value(entry.value()) + 1)
        .map(entry -> "updated " + entry.required() + " .")
        .doOnNext(System.out::println)
        .repeat();
  }

  private static Flux<String> restores(Path backup, Path restored, int from) {
    return Flux.range(from, Integer.MAX_VALUE - from)
        .concatMap(
            n ->
                KvStores.restore(backup, restored.resolve("" + n))
                    .thenReturn("restored " + (n + 1) + " .")
                    .doOnNext(System.out::println),
            1);
  }

  private static int value(Integer stored) {
    return stored == null ? 0 : stored;
  }
}
