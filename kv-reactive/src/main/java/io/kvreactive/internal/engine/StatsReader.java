package io.kvreactive.internal.engine;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvStats;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.StoreStats;
import io.kvreactive.spi.QueueStats;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** Collects the statistics of an engine: on the store thread first, then on a reader thread. */
final class StatsReader {
  private final Store store;
  private final CommitQueue commits;
  private final ReadPool readers;
  private final Subscriptions subscriptions;

  StatsReader(Store store, CommitQueue commits, ReadPool readers, Subscriptions subscriptions) {
    this.store = store;
    this.commits = commits;
    this.readers = readers;
    this.subscriptions = subscriptions;
  }

  private record Counted(StoreStats store, KvStats.Commits commits, int waitingReads) {}

  /**
   * Emits the statistics, also of a store with damaged pages, whose number they have.
   *
   * @param closed returns true if the store thread must not use the store any more
   * @param queues emits the statistics of the queues on a reader thread
   */
  Mono<KvStats> read(
      Executor storeThread, BooleanSupplier closed, Supplier<Mono<List<QueueStats>>> queues) {
    return Mono.<Counted>create(
            sink ->
                storeThread.execute(
                    () -> {
                      if (closed.getAsBoolean()) {
                        sink.error(new KvException(KvErrorCode.CLOSED, "the store is closed"));
                      } else {
                        sink.success(counted());
                      }
                    }))
        .flatMap(
            counted ->
                queues
                    .get()
                    .onErrorResume(
                        e -> KvError.is(e, KvErrorCode.CORRUPT), e -> Mono.just(List.of()))
                    .map(found -> EngineReads.guarded(() -> all(counted, found))));
  }

  private Counted counted() {
    return new Counted(store.stats(), commits.stats(store.log().syncs()), readers.waiting());
  }

  /** Combines all statistics. Must be called on a reader thread. */
  private KvStats all(Counted counted, List<QueueStats> queues) {
    StoreStats now = counted.store;
    return new KvStats(
        Versionstamp.of(now.visible()),
        Versionstamp.of(now.horizon()),
        now.lastCommitMillis() == 0 ? null : Instant.ofEpochMilli(now.lastCommitMillis()),
        now.failure(),
        new KvStats.Storage(
            store.estimateKeys(),
            now.imageBytes(),
            now.logBytes(),
            now.logSegments(),
            now.memoryBytes(),
            store.image().current().damagedPages()),
        counted.commits,
        new KvStats.Readers(
            counted.waitingReads,
            now.snapshots(),
            Duration.ofMillis(now.oldestSnapshotMillis()),
            now.oldestSnapshotLag(),
            subscriptions.watches(),
            subscriptions.feeds()),
        queues.stream().map(StatsReader::queue).toList(),
        now.clock());
  }

  private static KvStats.Queue queue(QueueStats queue) {
    return new KvStats.Queue(
        queue.queue(),
        queue.depth(),
        queue.ready(),
        queue.leased(),
        queue.delayed(),
        Duration.ofMillis(queue.oldestReadyMillis()),
        queue.waiting());
  }
}
