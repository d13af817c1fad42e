package io.kvreactive.internal.engine;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.RepairOptions;
import io.kvreactive.RepairReport;
import io.kvreactive.internal.store.OfflineRepair;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.publisher.Mono;

/** Runs repairs of stores that are closed, each on a dedicated thread. */
public final class RepairJobs {
  private RepairJobs() {}

  /**
   * Inspects and repairs the store in a directory. Cancellation takes effect between two repairs.
   */
  public static Mono<RepairReport> repair(Path directory, RepairOptions options) {
    return Mono.create(
        sink -> {
          AtomicBoolean cancelled = new AtomicBoolean();
          sink.onCancel(() -> cancelled.set(true));
          Runnable work =
              () -> {
                RepairReport report;
                try {
                  report = OfflineRepair.run(directory, options, () -> checkWanted(cancelled));
                } catch (KvException e) {
                  sink.error(e);
                  return;
                } catch (RuntimeException | Error e) { // MapDB throws errors of many types
                  sink.error(new KvException(KvErrorCode.INTERNAL, "the repair failed: " + e, e));
                  return;
                }
                sink.success(report);
              };
          Thread thread = new Thread(work, "kv-repair-" + directory.getFileName());
          thread.setDaemon(true);
          thread.start();
        });
  }

  private static void checkWanted(AtomicBoolean cancelled) {
    if (cancelled.get()) {
      throw new KvException(KvErrorCode.CLOSED, "the repair was cancelled");
    }
  }
}
