package io.kvreactive.internal.api;

import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The snapshot that the pages of one subscription share, taken with the first page; or none. */
final class SharedSnapshot {
  /** Demand up to which a page is small: that of a subscriber that requests one by one. */
  private static final long FEW_ENTRIES = 64;

  private static final long FEW_BYTES = 256 << 10;

  private final KvEngine engine;
  private final boolean shared;
  private KvEngine.@Nullable Snapshot held;
  private boolean closed;

  /**
   * Creates a holder without a snapshot.
   *
   * @param shared true if the pages share a version; false to read each at the newest
   */
  SharedSnapshot(KvEngine engine, boolean shared) {
    this.engine = engine;
    this.shared = shared;
  }

  /**
   * Reads ranges for a subscriber with some demand. A subscriber with little demand may keep the
   * result for long, so it gets a small one.
   *
   * @param wanted the number of requested entries
   */
  Mono<ReadResult> read(List<ReadRange> ranges, long wanted) {
    long maxBytes = wanted <= FEW_ENTRIES ? FEW_BYTES : Long.MAX_VALUE;
    if (!shared) {
      return engine.read(ranges, null, maxBytes);
    }
    KvEngine.Snapshot present = current();
    return present != null
        ? engine.read(ranges, present, maxBytes)
        : engine
            .snapshot()
            .flatMap(taken -> engine.read(ranges, hold(taken), maxBytes))
            .doOnDiscard(KvEngine.Snapshot.class, KvEngine.Snapshot::close);
  }

  private synchronized KvEngine.@Nullable Snapshot current() {
    return held;
  }

  private synchronized KvEngine.Snapshot hold(KvEngine.Snapshot taken) {
    held = taken;
    if (closed) {
      taken.close();
    }
    return taken;
  }

  synchronized void close() {
    closed = true;
    if (held != null) {
      held.close();
    }
  }
}
