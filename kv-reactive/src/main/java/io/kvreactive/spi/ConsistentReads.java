package io.kvreactive.spi;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The reads of one list or answer: all of one version, or each of the newest version. The snapshot
 * of the one version is taken if the first read does not have everything. Reads must not overlap;
 * {@link #close} may be called on any thread, and during a read.
 */
public final class ConsistentReads implements AutoCloseable {
  private final KvEngine engine;
  private final boolean atOneVersion;
  private final boolean snapshotFirst;
  private KvEngine.@Nullable Snapshot snapshot; // guarded by this
  private boolean closed; // guarded by this

  /**
   * Creates reads without a snapshot.
   *
   * @param atOneVersion false to read the newest version each time
   */
  public ConsistentReads(KvEngine engine, boolean atOneVersion) {
    this(engine, atOneVersion, false);
  }

  private ConsistentReads(KvEngine engine, boolean atOneVersion, boolean snapshotFirst) {
    this.engine = engine;
    this.atOneVersion = atOneVersion;
    this.snapshotFirst = snapshotFirst;
  }

  /**
   * Creates reads at one version, which take their snapshot before the first read if the engine
   * does not {@linkplain KvEngine#keepsVersions keep versions}. Such an engine detects changes of
   * keys that were read at the snapshot, and rejects reads of ranges, also those with few entries.
   */
  public static ConsistentReads atSnapshot(KvEngine engine) {
    return new ConsistentReads(engine, true, !engine.keepsVersions());
  }

  /**
   * Emits the next entries, on any thread of the engine. The first read is repeated at the snapshot
   * if there were commits in between. Cancelling leaves no snapshot behind after {@link #close}.
   *
   * @param maxBytes the size of keys and values after which a read ends
   * @param isAll returns true if no read follows a result; called with the first one
   */
  public Mono<ReadResult> read(List<ReadRange> ranges, long maxBytes, Predicate<ReadResult> isAll) {
    KvEngine.Snapshot held = held();
    if (held != null || !atOneVersion) {
      return engine.read(ranges, held, maxBytes);
    } else if (snapshotFirst) {
      return snapshot().flatMap(taken -> engine.read(ranges, taken, maxBytes));
    }
    return engine
        .read(ranges, null, maxBytes)
        .flatMap(read -> isAll.test(read) ? Mono.just(read) : at(read, ranges, maxBytes));
  }

  /** Emits the first result if it is of the version of the snapshot, else reads again. */
  private Mono<ReadResult> at(ReadResult first, List<ReadRange> ranges, long maxBytes) {
    // operators of reads that follow keep this function, which must not keep the result
    AtomicReference<ReadResult> kept = new AtomicReference<>(first);
    return snapshot()
        .flatMap(
            taken -> {
              ReadResult read = kept.getAndSet(null);
              return read != null && taken.versionstamp().equals(read.snapshot())
                  ? Mono.just(read)
                  : engine.read(ranges, taken, maxBytes);
            });
  }

  private Mono<KvEngine.Snapshot> snapshot() {
    return engine
        .snapshot()
        .doOnNext(this::hold)
        .doOnDiscard(KvEngine.Snapshot.class, KvEngine.Snapshot::close);
  }

  private synchronized KvEngine.@Nullable Snapshot held() {
    return snapshot;
  }

  private synchronized void hold(KvEngine.Snapshot taken) {
    if (closed) {
      taken.close();
    } else {
      snapshot = taken;
    }
  }

  /** Releases the snapshot. The next read is the first one of another version. */
  public synchronized void restart() {
    KvEngine.Snapshot held = snapshot;
    snapshot = null;
    if (held != null) {
      held.close();
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    restart();
  }
}
