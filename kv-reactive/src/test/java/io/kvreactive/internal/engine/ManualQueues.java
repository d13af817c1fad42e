package io.kvreactive.internal.engine;

import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.internal.engine.queue.Queues;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.StoreOptions;
import io.kvreactive.internal.store.StoreSnapshot;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.memtable.VersionedValue;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.QueueStats;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A store with queues whose threads and clock the test controls: tasks run on request, and time
 * passes in steps.
 */
final class ManualQueues {
  private static final int WINDOW = 3;
  private static final long MEMTABLE = 4096; // so that most entries are in the image

  private record Alarm(long at, CompletableFuture<Void> cancelled, Runnable task) {}

  private final Path directory;
  private final Disk disk;
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final Executor executor = tasks::add;
  private final Deque<Runnable> heldReads = new ArrayDeque<>();
  private boolean holdReads;
  private final PriorityQueue<Alarm> alarms =
      new PriorityQueue<>(Comparator.comparingLong(Alarm::at));
  private long now = 1_000_000;
  private boolean writeImage;
  private Store store;
  private CommitQueue commits;
  Queues queues;

  /**
   * @param disk the disk, which can be made to fail
   */
  ManualQueues(Path directory, Disk disk) {
    this.directory = directory;
    this.disk = disk;
    open();
  }

  private void open() {
    StoreOptions options =
        StoreOptions.of(directory, disk, false, MEMTABLE, MEMTABLE, 1 << 16)
            .withWallClock(() -> now);
    store = Store.open(options, () -> writeImage = true);
    store.start();
    commits =
        new CommitQueue(
            store,
            executor,
            published -> queues.published(published),
            1000,
            1 << 20,
            KvLimits.DEFAULT.maxCommitWork());
    queues =
        new Queues(store, commits::submitOwn, executor, this::read, this::after, () -> now, WINDOW);
    queues.start();
    run();
  }

  private void read(Runnable task) {
    (holdReads ? heldReads : tasks).add(task);
  }

  /** Holds the reads of messages leased from now on. */
  void holdReads() {
    holdReads = true;
  }

  /** Executes the reads of messages leased from now on. */
  void readOthers() {
    holdReads = false;
  }

  /** Executes the held reads. */
  void readHeld() {
    tasks.addAll(heldReads);
    heldReads.clear();
    run();
  }

  private Future<?> after(long millis, Runnable task) {
    CompletableFuture<Void> cancelled = new CompletableFuture<>();
    alarms.add(new Alarm(now + millis, cancelled, task));
    return cancelled;
  }

  /** Runs all pending tasks. */
  void run() {
    Runnable task;
    while (true) {
      while ((task = tasks.poll()) != null) {
        task.run();
      }
      Alarm alarm = alarms.peek();
      if (alarm != null && alarm.at <= now) {
        alarms.remove(alarm);
        if (!alarm.cancelled.isCancelled()) {
          alarm.task.run();
        }
      } else if (writeImage) {
        writeImage = false;
        store.image().write();
        store.imageWritten();
        commits.drain();
      } else {
        return;
      }
    }
  }

  void pass(long millis) {
    now += millis;
    run();
  }

  long now() {
    return now;
  }

  void commit(Commit commit) {
    LimitChecks.Cost cost =
        new LimitChecks(KvLimits.DEFAULT).commit(commit, store.clock().millis());
    CompletableFuture<Object> done = new CompletableFuture<>();
    Mono.<io.kvreactive.CommitResult>create(sink -> commits.submit(commit, cost, sink))
        .subscribe(done::complete, done::completeExceptionally);
    run();
    done.join();
  }

  /** Returns the error of a Mono that ends once all tasks have run; null if it succeeded. */
  @Nullable KvException failure(Mono<?> mono) {
    CompletableFuture<@Nullable KvException> failure = new CompletableFuture<>();
    mono.subscribe(
        ignored -> {}, e -> failure.complete((KvException) e), () -> failure.complete(null));
    run();
    return failure.getNow(new KvException(io.kvreactive.KvErrorCode.INTERNAL, "not ended"));
  }

  List<QueueStats> stats() {
    CompletableFuture<List<QueueStats>> stats = new CompletableFuture<>();
    queues.stats(executor).subscribe(stats::complete, stats::completeExceptionally);
    run();
    return stats.join();
  }

  /** Returns the value of a key; null if the key is absent. */
  byte @Nullable [] value(byte[] key) {
    try (StoreSnapshot snapshot = store.snapshot()) {
      VersionedValue value = snapshot.enter().get(key);
      snapshot.leave();
      return value == null || value.value() == null ? null : value.value().bytes();
    }
  }

  /**
   * Reopens the store.
   *
   * @param crash true to leave leases as they are
   */
  void reopen(boolean crash) throws IOException {
    if (!crash) {
      queues.close();
      run();
    }
    tasks.clear();
    alarms.clear();
    store.close();
    writeImage = false;
    open();
  }

  void close() throws IOException {
    store.close();
  }
}
