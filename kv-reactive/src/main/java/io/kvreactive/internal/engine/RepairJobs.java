package io.kvreactive.internal.engine;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.RepairOptions;
import io.kvreactive.RepairReport;
import io.kvreactive.internal.store.OfflineRepair;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.publisher.Mono;

/** Repairs stores that are closed, each on a thread that ends with it. */
public final class RepairJobs {
  private RepairJobs() {}

  /** Inspects and repairs the store in a directory. Cancel stops it between two repairs. */
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
                } catch (RuntimeException | Error e) { // MapDB throws errors of many kinds
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
