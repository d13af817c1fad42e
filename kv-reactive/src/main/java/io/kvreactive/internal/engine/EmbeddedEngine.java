package io.kvreactive.internal.engine;

import io.kvreactive.BackupProgress;
import io.kvreactive.CommitResult;
import io.kvreactive.CompactionProgress;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.KvOptions;
import io.kvreactive.KvStats;
import io.kvreactive.VerifyReport;
import io.kvreactive.internal.engine.queue.Queues;
import io.kvreactive.internal.shared.ArgumentChecks;
import io.kvreactive.internal.shared.ClockSources;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.StoreOptions;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.internal.store.log.LogRetention;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.Finish;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.LeaseToken;
import io.kvreactive.spi.LeasedMessage;
import io.kvreactive.spi.QueueStats;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The engine in this process: commits run on the store thread, reads on reader threads, and a third
 * thread writes the image in the background. This class assembles the parts and closes them in the
 * right order: {@link CommitQueue}, {@link EngineReads}, {@link Subscriptions}, {@link Queues},
 * {@link Maintenance}, {@link BackupJobs}.
 */
public final class EmbeddedEngine implements KvEngine {
  private final String name;
  private final KvLimits limits;
  private final LimitChecks checks;
  private final Executor storeThread;
  private final CloseGuard closeGuard = new CloseGuard();
  private final Store store;
  private final ReadPool readers;
  private final EngineReads reads;
  private final CommitQueue commits;
  private final TimerThread timers;
  private final ExpirySweeper sweeper;
  private final Queues queues;
  private final Subscriptions subscriptions;
  private final Maintenance maintenance;
  private final StatsReader stats;
  private final BackupJobs backups;
  private final LongAdder userOperations = new LongAdder();
  private final Sinks.Empty<Void> closed = Sinks.empty();

  private EmbeddedEngine(KvOptions options, Executor storeThread, ClockSources clocks) {
    this.name = options.name();
    this.limits = options.limits();
    this.checks = new LimitChecks(limits);
    this.storeThread = storeThread;
    StoreOptions storeOptions =
        StoreOptions.of(
                options.directory(), options.durability().everyCommit(), options.memoryBytes())
            .withChanges(retention(options), options.oldValues())
            .withClocks(clocks);
    this.store = Store.open(storeOptions, this::requestImage);
    this.timers = new TimerThread(options.name(), store.clock()::millis);
    this.readers =
        new ReadPool(
            options.name(),
            options.readerThreads(),
            task -> {
              var unused = timers.at(store.clock().millis() + 1, task);
            });
    this.reads = new EngineReads(store, checks, readers, closeGuard);
    this.commits =
        new CommitQueue(
            store,
            storeThread,
            this::published,
            options.maxQueuedCommits(),
            options.maxQueuedBytes(),
            limits.maxCommitWork());
    this.sweeper = new ExpirySweeper(store, commits, storeThread, readers, timers);
    this.queues =
        new Queues(
            store,
            commits::submitOwn,
            storeThread,
            readers,
            (millis, task) -> timers.at(store.clock().millis() + millis, task),
            () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()),
            Queues.WINDOW);
    this.backups = new BackupJobs(store, options.name(), options.memoryBytes());
    this.subscriptions =
        new Subscriptions(
            store, checks, reads, readers, timers, closeGuard, storeThread, options.oldValues());
    this.maintenance =
        new Maintenance(
            store,
            options.name(),
            storeOptions.retention(),
            storeThread,
            commits,
            sweeper,
            subscriptions,
            timers,
            closeGuard);
    this.stats = new StatsReader(store, commits, readers, subscriptions);
  }

  private static LogRetention retention(KvOptions options) {
    long millis;
    try {
      millis = options.logRetentionAge().toMillis();
    } catch (ArithmeticException e) { // more than 2^63 milliseconds
      millis = Long.MAX_VALUE;
    }
    return new LogRetention(options.logRetentionBytes(), millis);
  }

  /**
   * Opens a store. Blocks; must be called on the store thread.
   *
   * @param storeThread an executor that runs tasks one at a time, in order, on a thread that may
   *     block
   * @throws KvException LOCKED, CORRUPT, DISK_FULL, IO_FAILED
   */
  public static EmbeddedEngine open(KvOptions options, Executor storeThread) {
    return open(options, storeThread, ClockSources.system());
  }

  /** Opens a store with another wall clock, in milliseconds since 1970. */
  static EmbeddedEngine open(KvOptions options, Executor storeThread, LongSupplier wallClock) {
    return open(options, storeThread, ClockSources.of(wallClock));
  }

  /** Opens a store with other clocks. */
  static EmbeddedEngine open(KvOptions options, Executor storeThread, ClockSources clocks) {
    EmbeddedEngine engine = new EmbeddedEngine(options, storeThread, clocks);
    engine.store.start();
    engine.sweeper.run();
    engine.maintenance.dropOldLog();
    engine.queues.start();
    return engine;
  }

  /**
   * Notifies the parts of published commits. Called on the store thread, before the commits are
   * answered.
   */
  private void published(List<CommitRecord> commits) {
    subscriptions.published(commits);
    sweeper.published(commits);
    queues.published(commits);
  }

  /**
   * Requests that the frozen memtable be written. Thread-safe; not called before {@link
   * Store#start}.
   */
  private void requestImage() {
    maintenance.requestImage();
  }

  Store store() {
    return store;
  }

  @Override
  public long now() {
    return store.clock().millis();
  }

  @Override
  public long confirmedNow() {
    return store.clock().confirmedMillis();
  }

  @Override
  public LongAdder userOperations() {
    return userOperations;
  }

  @Override
  public KvLimits limits() {
    return limits;
  }

  /**
   * Syncs the log, for stores whose commits are answered before the sync. Must be called on the
   * store thread.
   */
  public void syncLog() {
    maintenance.syncLog();
  }

  // ---- reads

  @Override
  public String name() {
    return name;
  }

  @Override
  public Mono<ReadResult> read(
      List<ReadRange> requested, @Nullable Snapshot snapshot, long maxBytes) {
    return reads.read(requested, snapshot, maxBytes);
  }

  @Override
  public ReadResult readHere(
      List<ReadRange> requested, @Nullable Snapshot snapshot, long maxBytes) {
    return reads.readHere(requested, snapshot, maxBytes);
  }

  @Override
  public @Nullable ReadResult readNow(List<ReadRange> requested) {
    return reads.readNow(requested);
  }

  @Override
  public Mono<Snapshot> snapshot() {
    return reads.snapshot();
  }

  @Override
  public Mono<Long> count(byte[] start, byte[] end) {
    return reads.count(start, end);
  }

  // ---- commits

  @Override
  public Mono<CommitResult> commit(Commit commit) {
    return Mono.create(
        sink -> {
          try {
            commits.submit(commit, checks.commit(commit, now()), sink);
          } catch (KvException e) {
            sink.error(e);
          }
        });
  }

  // ---- watch, changes

  @Override
  public Flux<ReadResult> watch(List<byte[]> keys) {
    return watch(keys, Long.MAX_VALUE);
  }

  @Override
  public Flux<ReadResult> watch(List<byte[]> keys, long maxBytes) {
    return subscriptions.watch(keys, maxBytes);
  }

  @Override
  public Flux<CommittedChanges> changes(ChangesRequest request) {
    return subscriptions.changes(request);
  }

  // ---- queues

  @Override
  public Mono<List<LeasedMessage>> claim(String queue, int max, long leaseMillis) {
    return onQueue(
        () -> {
          checks.queue(queue);
          ArgumentChecks.atLeast("max", max, 1);
          ArgumentChecks.atLeast("leaseMillis", leaseMillis, 1);
          return queues.claim(queue, max, leaseMillis);
        });
  }

  @Override
  public Mono<List<LeaseToken>> extend(List<LeaseToken> leases, long leaseMillis) {
    return onQueue(
        () -> {
          ArgumentChecks.atLeast("leaseMillis", leaseMillis, 1);
          return queues.extend(leases, leaseMillis);
        });
  }

  @Override
  public Mono<Void> finish(LeaseToken lease, Finish how) {
    return onQueue(
        () -> {
          checks.finish(how);
          return queues.finish(lease, how);
        });
  }

  @Override
  public Mono<List<QueueStats>> queueStats() {
    return onQueue(() -> queues.stats(task -> readers.execute((ReadPool.LongRead) task::run)));
  }

  private <T> Mono<T> onQueue(Supplier<Mono<T>> call) {
    return Mono.defer(
        () -> {
          closeGuard.checkOpen();
          return call.get();
        });
  }

  // ---- statistics

  @Override
  public UUID historyId() {
    return store.history();
  }

  @Override
  public Mono<KvStats> stats() {
    return Mono.defer(
        () -> {
          closeGuard.checkOpen();
          return stats.read(storeThread, maintenance::isStopped, this::queueStats);
        });
  }

  // ---- backup, verification, compaction

  @Override
  public Flux<BackupProgress> backup(Path directory) {
    return backups.backup(directory);
  }

  @Override
  public Flux<VerifyReport> verify() {
    return maintenance.verify();
  }

  @Override
  public Flux<CompactionProgress> compact() {
    return maintenance.compact();
  }

  // ---- close

  /**
   * Closes the engine: answers waiting commits, completes watches and feeds, syncs the log,
   * releases all resources.
   */
  @Override
  public Mono<Void> close() {
    return Mono.defer(
        () -> {
          if (closeGuard.begin()) {
            subscriptions.close();
            timers.close();
            backups.close();
            storeThread.execute(
                () -> {
                  queues.close();
                  commits.close(this::closeFiles);
                });
          }
          return closed.asMono();
        });
  }

  /** Closes the files. Called on the store thread, which does not use the store from here on. */
  private void closeFiles() {
    maintenance.stop(this::closeStore);
  }

  /**
   * Closes the store. Called on the image thread; later tasks of that thread find everything
   * closed.
   */
  private void closeStore() {
    try {
      readers.close();
      maintenance.abandonCompaction();
      backups.awaitEnd();
      store.close();
      closed.tryEmitEmpty();
    } catch (Throwable e) { // any throwable: subscribers must be notified
      closed.tryEmitError(
          new KvException(KvErrorCode.IO_FAILED, "closing the store failed: " + e, e));
    }
  }
}
