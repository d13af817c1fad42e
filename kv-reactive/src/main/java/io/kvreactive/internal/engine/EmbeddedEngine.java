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
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.engine.queue.Queues;
import io.kvreactive.internal.store.ChangeCursor;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.StoreOptions;
import io.kvreactive.internal.store.SystemKeys;
import io.kvreactive.internal.store.log.Committed;
import io.kvreactive.internal.store.log.LogRetention;
import io.kvreactive.internal.store.verify.Verification;
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
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Sinks;

/**
 * The engine inside this process: commits go through the store thread, reads run on reader threads,
 * and a third kind of thread writes the image in the background.
 */
public final class EmbeddedEngine implements KvEngine {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedEngine.class);
  private static final long RETRY_IMAGE_MILLIS = 500;
  private static final long LEAST_DROP_MILLIS = 1000;
  private static final long MOST_DROP_MILLIS = 600_000;
  private static final int MOST_AT_ONCE = 16; // keys of a read that no thread is woken for

  private final KvLimits limits;
  private final LimitChecks checks;
  private final Executor storeThread;
  private final ScheduledExecutorService imageThread;
  private final ReadPool readers;
  private final WatchHub watches = new WatchHub();
  private final FeedHub feeds;
  private final boolean oldValues;
  private final long dropEveryMillis;
  private final Store store;
  private final CommitQueue commits;
  private final Timers timers;
  private final Compactor compactor;
  private final ExpirySweeper sweeper;
  private final Queues queues;
  private final StatsReader stats;
  private final Backups backups;
  private final AtomicBoolean closing = new AtomicBoolean();
  private volatile @Nullable Future<?> retry;
  private boolean filesClosing; // store thread
  private final Sinks.Empty<Void> closed = Sinks.empty();

  private EmbeddedEngine(KvOptions options, Executor storeThread, LongSupplier wallClock) {
    this.limits = options.limits();
    this.checks = new LimitChecks(limits);
    this.storeThread = storeThread;
    this.imageThread =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "kv-image-" + options.name());
              thread.setDaemon(true);
              return thread;
            });
    StoreOptions storeOptions =
        StoreOptions.of(
                options.directory(), options.durability().everyCommit(), options.memoryBytes())
            .withChanges(retention(options), options.oldValues())
            .withWallClock(wallClock);
    this.oldValues = options.oldValues();
    this.dropEveryMillis =
        Math.max(
            LEAST_DROP_MILLIS, Math.min(MOST_DROP_MILLIS, storeOptions.retention().millis() / 4));
    try {
      this.store = Store.open(storeOptions, this::requestImage);
    } catch (Throwable e) {
      imageThread.shutdown();
      throw e;
    }
    this.readers = new ReadPool(options.name(), options.readerThreads());
    this.commits =
        new CommitQueue(
            store,
            storeThread,
            this::published,
            options.maxQueuedCommits(),
            options.maxQueuedBytes());
    this.timers = new Timers(options.name(), store::now);
    this.compactor = new Compactor(store, imageThread, storeThread, this::imageReplaced);
    this.sweeper = new ExpirySweeper(store, commits, storeThread, readers, timers);
    this.queues =
        new Queues(
            store,
            commits::submitOwn,
            storeThread,
            readers,
            (millis, task) -> timers.at(store.now() + millis, task),
            () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()),
            Queues.WINDOW);
    this.backups = new Backups(store, options.name(), options.memoryBytes());
    this.feeds = new FeedHub(timers, store::now, store::horizon, store.visible());
    this.stats = new StatsReader(store, commits, readers, watches, feeds);
  }

  private static LogRetention retention(KvOptions options) {
    long millis;
    try {
      millis = options.logRetentionAge().toMillis();
    } catch (ArithmeticException e) { // longer than can be told
      millis = Long.MAX_VALUE;
    }
    return new LogRetention(options.logRetentionBytes(), millis);
  }

  /**
   * Opens the store. Blocks: call it on the store thread.
   *
   * @param storeThread runs tasks one at a time, in order, on a thread that may block
   * @throws KvException LOCKED, CORRUPT, DISK_FULL, IO_FAILED
   */
  public static EmbeddedEngine open(KvOptions options, Executor storeThread) {
    return open(options, storeThread, System::currentTimeMillis);
  }

  /** The same by another wall clock, in milliseconds since 1970. */
  static EmbeddedEngine open(KvOptions options, Executor storeThread, LongSupplier wallClock) {
    EmbeddedEngine engine = new EmbeddedEngine(options, storeThread, wallClock);
    engine.store.start();
    engine.sweeper.run();
    engine.dropOldLog();
    engine.queues.start();
    return engine;
  }

  /** On the store thread, before the commits are answered. */
  private void published(List<Committed> commits) {
    watches.published(commits);
    feeds.published(commits);
    sweeper.published(commits);
    queues.published(commits);
  }

  Store store() {
    return store;
  }

  @Override
  public long now() {
    return store.now();
  }

  @Override
  public KvLimits limits() {
    return limits;
  }

  /** Makes what was answered durable; for stores that do not with every commit. Store thread. */
  public void syncLog() {
    try {
      store.syncLog();
      feeds.horizonAdvanced();
    } catch (KvException e) {
      LOG.error("the store takes no more commits", e);
    }
  }

  /** Keeps the log's age within bounds also when nothing is committed. Store thread. */
  private void dropOldLog() {
    if (!filesClosing) {
      store.dropOldLog();
      var unused =
          timers.at(store.now() + dropEveryMillis, () -> storeThread.execute(this::dropOldLog));
    }
  }

  // ---- reads

  @Override
  public Mono<ReadResult> read(List<ReadRange> asked, @Nullable Snapshot snapshot) {
    List<ReadRange> ranges = ofUsers(asked);
    return onReader(
        ranges.size() == 1 && ranges.get(0).isPoint(),
        () -> readAt(ranges, snapshot),
        () -> checks.read(ranges));
  }

  @Override
  public ReadResult readHere(List<ReadRange> asked, @Nullable Snapshot snapshot) {
    List<ReadRange> ranges = ofUsers(asked);
    checkOpen();
    checks.read(ranges);
    return readers.here(() -> guarded(() -> readAt(ranges, snapshot)));
  }

  private ReadResult readAt(List<ReadRange> ranges, @Nullable Snapshot snapshot) {
    return snapshot == null
        ? readNewest(newest -> PageReader.read(newest, ranges))
        : PageReader.read(held(snapshot), ranges);
  }

  /**
   * What was written lately is on the heap; asking another thread for it costs more than it does.
   */
  @Override
  public @Nullable ReadResult readNow(List<ReadRange> asked) {
    if (asked.size() > MOST_AT_ONCE) {
      return null;
    }
    List<ReadRange> ranges = ofUsers(asked);
    for (ReadRange range : ranges) {
      if (!range.isPoint()) {
        return null;
      }
    }
    checkOpen();
    checks.read(ranges);
    try (var newest = store.snapshot()) {
      return PageReader.readInMemory(newest, ranges);
    }
  }

  /** The same ranges without the store's own keys. */
  private static List<ReadRange> ofUsers(List<ReadRange> ranges) {
    for (ReadRange range : ranges) {
      if (SystemKeys.isSystem(range.end())) {
        return ranges.stream().map(EmbeddedEngine::ofUsers).toList();
      }
    }
    return ranges;
  }

  private static ReadRange ofUsers(ReadRange range) {
    return new ReadRange(
        SystemKeys.clamp(range.start()),
        SystemKeys.clamp(range.end()),
        range.limit(),
        range.reverse(),
        range.keysOnly());
  }

  private ReadResult readNewest(Function<io.kvreactive.internal.store.Snapshot, ReadResult> read) {
    try (var newest = store.snapshot()) {
      return read.apply(newest);
    }
  }

  private static io.kvreactive.internal.store.Snapshot held(Snapshot snapshot) {
    if (snapshot instanceof HeldSnapshot held) {
      return held.held();
    }
    throw new KvException(
        KvErrorCode.INVALID_ARGUMENT,
        "snapshot: " + snapshot + " (expected: one of this engine's own)");
  }

  @Override
  public Mono<Snapshot> snapshot() {
    return Mono.fromSupplier(
        () -> {
          checkOpen();
          return new HeldSnapshot(store.snapshot());
        });
  }

  private record HeldSnapshot(io.kvreactive.internal.store.Snapshot held) implements Snapshot {
    @Override
    public Versionstamp versionstamp() {
      return Versionstamp.of(held.version());
    }

    @Override
    public void close() {
      held.close();
    }
  }

  private static <T> ReadPool.LongRead longRead(MonoSink<T> sink, Supplier<T> read) {
    return () -> complete(sink, read);
  }

  private <T> Mono<T> onReader(boolean isShort, Supplier<T> read, Runnable validate) {
    return Mono.create(
        sink -> {
          try {
            checkOpen();
            validate.run();
            readers.execute(isShort ? () -> complete(sink, read) : longRead(sink, read));
          } catch (KvException e) {
            sink.error(e);
          }
        });
  }

  private static <T> void complete(MonoSink<T> sink, Supplier<T> read) {
    T result;
    try {
      result = guarded(read);
    } catch (KvException e) {
      sink.error(e);
      return;
    }
    sink.success(result);
  }

  /** MapDB throws errors of many kinds, also for what is none of ours. */
  static <T> T guarded(Supplier<T> read) {
    try {
      return read.get();
    } catch (KvException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      throw new KvException(KvErrorCode.INTERNAL, "read failed: " + e, e);
    }
  }

  @Override
  public Mono<Long> count(byte[] start, byte[] end) {
    return Mono.create(
        sink -> {
          try {
            checkOpen();
            checks.read(List.of(new ReadRange(start, end, 1, false, true)));
            byte[] from = SystemKeys.clamp(start);
            byte[] to = SystemKeys.clamp(end);
            RangeCount count = new RangeCount(store.snapshot(), from, to, readers, sink);
            readers.execute(count);
          } catch (KvException e) {
            sink.error(e);
          }
        });
  }

  private void checkOpen() {
    if (closing.get()) {
      throw new KvException(KvErrorCode.CLOSED, "the store is closed");
    }
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

  // ---- watch

  @Override
  public Flux<ReadResult> watch(List<byte[]> keys) {
    return watch(keys, Long.MAX_VALUE);
  }

  @Override
  public Flux<ReadResult> watch(List<byte[]> keys, long maxBytes) {
    List<ReadRange> points = ofUsers(keys.stream().map(ReadRange::point).toList());
    return new Flux<>() {
      @Override
      public void subscribe(CoreSubscriber<? super ReadResult> actual) {
        try {
          checkOpen();
          checks.watch(keys);
        } catch (KvException e) {
          Operators.error(actual, e);
          return;
        }
        watch(keys, points, maxBytes, actual);
      }
    };
  }

  private void watch(
      List<byte[]> keys,
      List<ReadRange> points,
      long maxBytes,
      CoreSubscriber<? super ReadResult> actual) {
    Watch watch =
        new Watch(
            actual,
            readers,
            () -> {
              checkOpen();
              return guarded(
                  () -> readNewest(newest -> PageReader.points(newest, points, maxBytes)));
            },
            ended -> watches.remove(ended, keys),
            timers::at);
    actual.onSubscribe(watch);
    watches.add(watch, keys);
    watch.registered();
  }

  // ---- changes

  @Override
  public Flux<CommittedChanges> changes(ChangesRequest request) {
    return new Flux<>() {
      @Override
      public void subscribe(CoreSubscriber<? super CommittedChanges> actual) {
        Feed feed;
        try {
          checkOpen();
          checks.read(List.of(new ReadRange(request.start(), request.end(), 1, false, true)));
          feed = new Feed(actual, request, store, cursor(request), readers, feeds);
        } catch (KvException e) {
          Operators.error(actual, e);
          return;
        }
        feed.subscribe();
      }
    };
  }

  private ChangeCursor cursor(ChangesRequest request) {
    if (request.oldValues() && !oldValues) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "oldValues: true (expected: a store that was opened to keep them)");
    }
    if (request.bookmarkMillis() < 1) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "bookmarkMillis: " + request.bookmarkMillis() + " (expected: >= 1)");
    }
    Versionstamp since = request.since();
    long visible = store.visible();
    if (since == null) {
      return store.changes(visible);
    }
    if (Long.compareUnsigned(since.version(), visible) > 0) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "since: " + since + " (expected: at most " + Versionstamp.of(visible) + ", the newest)");
    }
    ChangeCursor cursor = store.changes(since.version());
    if (cursor.oldest() > since.version()) {
      throw KvException.compacted(since, Versionstamp.of(cursor.oldest()));
    }
    return cursor;
  }

  // ---- queues

  @Override
  public Mono<List<LeasedMessage>> claim(String queue, int max, long leaseMillis) {
    return onQueue(
        () -> {
          checks.queue(queue);
          LimitChecks.atLeastOne("max", max);
          LimitChecks.atLeastOne("leaseMillis", leaseMillis);
          return queues.claim(queue, max, leaseMillis);
        });
  }

  @Override
  public Mono<List<LeaseToken>> extend(List<LeaseToken> leases, long leaseMillis) {
    return onQueue(
        () -> {
          LimitChecks.atLeastOne("leaseMillis", leaseMillis);
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
          checkOpen();
          return call.get();
        });
  }

  // ---- statistics

  @Override
  public Mono<KvStats> stats() {
    return Mono.defer(
        () -> {
          checkOpen();
          return stats.read(storeThread, () -> filesClosing, this::queueStats);
        });
  }

  // ---- backup

  @Override
  public Flux<BackupProgress> backup(Path directory) {
    return backups.backup(directory);
  }

  // ---- the image

  @Override
  public Mono<VerifyReport> verify() {
    return StoreVerifier.verify(() -> Verification.of(store), this::checkSound, imageThread)
        .doOnSubscribe(ignored -> compactor.hold()) // the image must stay the same
        .doFinally(ignored -> compactor.release());
  }

  private void checkSound() {
    checkOpen();
    KvException failed = store.failure();
    if (failed != null) {
      throw new KvException(failed.code(), "the store has failed: " + failed.detail(), failed);
    }
  }

  private void requestImage() {
    try {
      imageThread.execute(this::writeImage);
    } catch (RejectedExecutionException e) {
      LOG.debug("closing; the log keeps what the image lacks", e);
    }
  }

  private void writeImage() {
    if (closing.get()) {
      return;
    }
    long start = System.nanoTime();
    if (store.writeImage()) {
      compactor.written(System.nanoTime() - start);
      storeThread.execute(this::imageWritten);
    } else if (store.failure() != null) {
      LOG.error("the store takes no more commits", store.failure());
      storeThread.execute(commits::drain);
    } else if (!closing.get()) {
      storeThread.execute(commits::drain);
      retry = imageThread.schedule(this::writeImage, RETRY_IMAGE_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void imageWritten() {
    if (!filesClosing) {
      store.imageWritten();
      sweeper.imageWritten(store.earliestExpiryWritten());
      feeds.horizonAdvanced();
      commits.drain();
    }
  }

  private void imageReplaced() {
    if (!filesClosing) {
      store.imageReplaced();
      sweeper.imageWritten(0); // it may hold what the sweeper has passed
    }
  }

  @Override
  public Flux<CompactionProgress> compact() {
    return Flux.defer(
        () -> {
          checkOpen();
          return compactor.compact();
        });
  }

  // ---- close

  /** Answers what waits, ends watches, brings the log to the medium, frees everything. */
  @Override
  public Mono<Void> close() {
    return Mono.defer(
        () -> {
          if (closing.compareAndSet(false, true)) {
            watches.close();
            feeds.close();
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

  /** On the store thread, which touches the store no more from here on. */
  private void closeFiles() {
    filesClosing = true;
    store.stopWritingImage();
    compactor.stop();
    Future<?> waiting = retry;
    if (waiting != null) {
      waiting.cancel(false);
    }
    imageThread.execute(
        () -> {
          try {
            readers.close();
            compactor.close();
            backups.awaitEnd();
            store.close();
            closed.tryEmitEmpty();
          } catch (Throwable e) { // whatever it is: whoever waits must be told
            closed.tryEmitError(
                new KvException(KvErrorCode.IO_FAILED, "closing the store failed: " + e, e));
          }
        });
    imageThread.shutdown();
  }
}
