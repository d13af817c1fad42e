package io.kvreactive.spi;

import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The reads of one list or answer: all of one version, or each of the newest version. The snapshot
 * of the one version is taken if the first read does not have everything, or before it if the
 * engine does not {@linkplain KvEngine#keepsVersions keep versions}. Reads must not overlap; {@link
 * #close} may be called on any thread, and during a read.
 */
public final class ConsistentReads implements AutoCloseable {
  private final KvEngine engine;
  private final boolean atOneVersion;
  private KvEngine.@Nullable Snapshot snapshot; // guarded by this
  private boolean closed; // guarded by this

  /**
   * Creates reads without a snapshot.
   *
   * @param atOneVersion false to read the newest version each time
   */
  public ConsistentReads(KvEngine engine, boolean atOneVersion) {
    this.engine = engine;
    this.atOneVersion = atOneVersion;
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
    } else if (!engine.keepsVersions()) {
      return snapshot().flatMap(taken -> engine.read(ranges, taken, maxBytes));
    }
    return engine
        .read(ranges, null, maxBytes)
        .flatMap(
            first ->
                isAll.test(first)
                    ? Mono.just(first)
                    : snapshot()
                        .flatMap(
                            taken ->
                                taken.versionstamp().equals(first.snapshot())
                                    ? Mono.just(first)
                                    : engine.read(ranges, taken, maxBytes)));
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
