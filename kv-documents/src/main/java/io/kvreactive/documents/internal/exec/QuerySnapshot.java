package io.kvreactive.documents.internal.exec;

import io.kvreactive.documents.internal.worker.WorkerThread;
import io.kvreactive.spi.KvEngine;
import org.jspecify.annotations.Nullable;

/**
 * The snapshot of a query, which is closed even if it arrives after the query has ended.
 * Thread-safe.
 */
final class QuerySnapshot implements AutoCloseable {
  private KvEngine.@Nullable Snapshot held;
  private boolean closed;

  /** Takes the snapshot; once. */
  KvEngine.Snapshot take(KvEngine engine) {
    return WorkerThread.await(
        engine
            .snapshot()
            .doOnNext(this::hold)
            .doOnDiscard(KvEngine.Snapshot.class, KvEngine.Snapshot::close));
  }

  private synchronized void hold(KvEngine.Snapshot taken) {
    held = taken;
    if (closed) {
      taken.close();
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (held != null) {
      held.close();
    }
  }
}
