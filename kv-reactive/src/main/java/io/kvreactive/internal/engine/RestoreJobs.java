package io.kvreactive.internal.engine;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.RestoreOptions;
import io.kvreactive.RestoreResult;
import io.kvreactive.internal.store.backup.Restore;
import io.kvreactive.internal.store.file.FileDisk;
import io.kvreactive.internal.store.file.IoFailures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** Runs restores of backups, each on a dedicated thread. */
public final class RestoreJobs {
  private RestoreJobs() {}

  /** Restores a backup. Cancellation stops the restore and leaves nothing behind. */
  public static Mono<RestoreResult> restore(Path backup, Path directory, RestoreOptions options) {
    return Mono.create(
        sink -> {
          AtomicBoolean cancelled = new AtomicBoolean();
          sink.onCancel(() -> cancelled.set(true));
          Thread thread =
              new Thread(
                  () -> run(backup, directory, options, sink, cancelled),
                  "kv-restore-" + directory);
          thread.setDaemon(true);
          thread.start();
        });
  }

  private static void run(
      Path backup,
      Path directory,
      RestoreOptions options,
      MonoSink<RestoreResult> sink,
      AtomicBoolean cancelled) {
    RestoreResult result;
    try {
      result =
          Restore.run(new FileDisk(), backup, directory, options, () -> checkWanted(cancelled));
    } catch (Throwable e) {
      if (!cancelled.get()) {
        sink.error(asKvException(e, directory));
      }
      return;
    }
    sink.success(result);
  }

  private static void checkWanted(AtomicBoolean cancelled) {
    if (cancelled.get()) {
      throw new KvException(KvErrorCode.CLOSED, "the restore was cancelled");
    }
  }

  private static KvException asKvException(Throwable failure, Path directory) {
    if (failure instanceof KvException known) {
      return known;
    }
    if (failure instanceof IOException e) {
      Path parent = directory.toAbsolutePath().getParent();
      return IoFailures.of(e, parent == null ? directory : parent, "restoring the backup");
    }
    return new KvException(KvErrorCode.INTERNAL, "the restore failed: " + failure, failure);
  }
}
