package io.kvreactive.internal.engine;

import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.KvOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.StoreOptions;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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

  private final KvLimits limits;
  private final LimitChecks checks;
  private final Executor storeThread;
  private final ScheduledExecutorService imageThread;
  private final ReadPool readers;
  private final WatchHub watches = new WatchHub();
  private final Store store;
  private final CommitQueue commits;
  private final AtomicBoolean closing = new AtomicBoolean();
  private volatile @Nullable Future<?> retry;
  private boolean filesClosing; // store thread
  private final Sinks.Empty<Void> closed = Sinks.empty();

  private EmbeddedEngine(KvOptions options, Executor storeThread) {
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
            options.directory(), options.durability().everyCommit(), options.memoryBytes());
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
            watches::published,
            options.maxQueuedCommits(),
            options.maxQueuedBytes());
  }

  /**
   * Opens the store. Blocks: call it on the store thread.
   *
   * @param storeThread runs tasks one at a time, in order, on a thread that may block
   * @throws KvException LOCKED, CORRUPT, DISK_FULL, IO_FAILED
   */
  public static EmbeddedEngine open(KvOptions options, Executor storeThread) {
    EmbeddedEngine engine = new EmbeddedEngine(options, storeThread);
    engine.store.start();
    return engine;
  }

  @Override
  public KvLimits limits() {
    return limits;
  }

  /** Makes what was answered durable; for stores that do not with every commit. Store thread. */
  public void syncLog() {
    try {
      store.syncLog();
    } catch (KvException e) {
      LOG.error("the store takes no more commits", e);
    }
  }

  // ---- reads

  @Override
  public Mono<ReadResult> read(List<ReadRange> ranges, @Nullable Snapshot snapshot) {
    return onReader(
        ranges.size() == 1 && ranges.get(0).isPoint(),
        () -> {
          if (snapshot == null) {
            return readNewest(ranges, false);
          }
          return PageReader.read(held(snapshot), ranges, false);
        },
        () -> checks.read(ranges));
  }

  private ReadResult readNewest(List<ReadRange> ranges, boolean whole) {
    try (var newest = store.snapshot()) {
      return PageReader.read(newest, ranges, whole);
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
            RangeCount count = new RangeCount(store.snapshot(), start, end, readers, sink);
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
            commits.submit(commit, checks.commit(commit), sink);
          } catch (KvException e) {
            sink.error(e);
          }
        });
  }

  // ---- watch

  @Override
  public Flux<ReadResult> watch(List<byte[]> keys) {
    List<ReadRange> points = keys.stream().map(ReadRange::point).toList();
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
        watch(keys, points, actual);
      }
    };
  }

  private void watch(
      List<byte[]> keys, List<ReadRange> points, CoreSubscriber<? super ReadResult> actual) {
    Watch watch =
        new Watch(
            actual,
            readers,
            () -> {
              checkOpen();
              return guarded(() -> readNewest(points, true));
            },
            ended -> watches.remove(ended, keys));
    actual.onSubscribe(watch);
    watches.add(watch, keys);
    watch.registered();
  }

  // ---- the image

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
    if (store.writeImage()) {
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
      commits.drain();
    }
  }

  // ---- close

  /** Answers what waits, ends watches, brings the log to the medium, frees everything. */
  @Override
  public Mono<Void> close() {
    return Mono.defer(
        () -> {
          if (closing.compareAndSet(false, true)) {
            watches.close();
            storeThread.execute(() -> commits.close(this::closeFiles));
          }
          return closed.asMono();
        });
  }

  /** On the store thread, which touches the store no more from here on. */
  private void closeFiles() {
    filesClosing = true;
    store.stopWritingImage();
    Future<?> waiting = retry;
    if (waiting != null) {
      waiting.cancel(false);
    }
    imageThread.execute(
        () -> {
          try {
            readers.close();
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
