package io.kvreactive.internal.engine;

import io.kvreactive.BackupProgress;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.backup.Backup;
import io.kvreactive.internal.store.backup.Manifest;
import io.kvreactive.internal.store.file.FileDisk;
import io.kvreactive.internal.store.file.IoFailures;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;

/** Runs the backups of a store, one at a time, each on a dedicated thread. Thread-safe. */
final class BackupJobs {
  private static final long MAX_DIRTY_BYTES = 16 << 20;

  private final Store store;
  private final String name;
  private final long dirtyBytes;
  private @Nullable Job running; // guarded by this
  private volatile boolean closing;

  BackupJobs(Store store, String name, long memoryBytes) {
    this.store = store;
    this.name = name;
    this.dirtyBytes = Math.min(MAX_DIRTY_BYTES, memoryBytes);
  }

  /** Writes a backup and emits its progress, only the latest if demand is slow. */
  Flux<BackupProgress> backup(Path directory) {
    return Flux.create(sink -> start(directory, sink), FluxSink.OverflowStrategy.LATEST);
  }

  private synchronized void start(Path directory, FluxSink<BackupProgress> sink) {
    if (closing) {
      sink.error(closed());
    } else if (running != null) {
      sink.error(
          new KvException(
              KvErrorCode.OVERLOADED,
              "another backup of this store is running (expected: at most one)"));
    } else {
      Job job = new Job(directory, sink);
      sink.onCancel(() -> job.cancelled = true);
      running = job;
      job.start();
    }
  }

  private synchronized void ended() {
    running = null;
  }

  /** Stops a running backup soon, and rejects further ones. */
  synchronized void close() {
    closing = true;
  }

  /** Waits until no backup uses the store. Must be called after {@link #close}. Blocks. */
  void awaitEnd() throws InterruptedException {
    Job last;
    synchronized (this) {
      last = running;
    }
    if (last != null) {
      last.join();
    }
  }

  private static KvException closed() {
    return new KvException(KvErrorCode.CLOSED, "the store is closed");
  }

  private final class Job extends Thread {
    private final Path directory;
    private final FluxSink<BackupProgress> sink;
    private final long start = System.nanoTime();
    private volatile boolean cancelled;

    Job(Path directory, FluxSink<BackupProgress> sink) {
      super("kv-backup-" + name);
      setDaemon(true);
      this.directory = directory;
      this.sink = sink;
    }

    @Override
    public void run() {
      BackupProgress last;
      try {
        last = write();
      } catch (KvException e) {
        fail(e);
        return;
      } catch (IOException e) {
        Path parent = directory.toAbsolutePath().getParent();
        fail(IoFailures.of(e, parent == null ? directory : parent, "writing the backup"));
        return;
      } catch (Throwable e) { // MapDB throws errors of many types
        fail(new KvException(KvErrorCode.INTERNAL, "the backup failed: " + e, e));
        return;
      }
      ended();
      sink.next(last);
      sink.complete();
    }

    private void fail(KvException failure) {
      ended();
      if (!cancelled) {
        sink.error(failure);
      }
    }

    private BackupProgress write() throws IOException {
      checkWanted();
      try (Backup backup = Backup.start(store, new FileDisk(), directory, dirtyBytes)) {
        while (backup.page(Backup.PAGE_ENTRIES)) {
          checkWanted();
          sink.next(progress(backup, null));
        }
        Manifest whole = backup.finish(this::checkWanted);
        return progress(backup, Versionstamp.of(whole.through()));
      }
    }

    private BackupProgress progress(Backup backup, @Nullable Versionstamp versionstamp) {
      Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
      return new BackupProgress(backup.entries(), backup.bytes(), versionstamp, elapsed);
    }

    private void checkWanted() {
      if (closing || cancelled) {
        throw closed();
      }
    }
  }
}
