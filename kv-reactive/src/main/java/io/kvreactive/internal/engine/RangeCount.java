package io.kvreactive.internal.engine;

import io.kvreactive.KvException;
import io.kvreactive.internal.store.StoreSnapshot;
import io.kvreactive.internal.store.ViewCursor;
import java.util.Arrays;
import java.util.concurrent.Executor;
import reactor.core.publisher.MonoSink;

/**
 * A count of the keys of a range at one version, in steps between which other reads run and
 * cancellation takes effect.
 */
final class RangeCount implements ReadPool.LongRead {
  private static final int STEP = 10_000;

  private final StoreSnapshot snapshot;
  private final byte[] end;
  private final Executor readers;
  private final MonoSink<Long> sink;
  private byte[] start;
  private long count;
  private volatile boolean cancelled;

  /**
   * Creates a count.
   *
   * @param snapshot the snapshot, which is closed when the count ends
   */
  RangeCount(
      StoreSnapshot snapshot, byte[] start, byte[] end, Executor readers, MonoSink<Long> sink) {
    this.snapshot = snapshot;
    this.start = start;
    this.end = end;
    this.readers = readers;
    this.sink = sink;
    sink.onDispose(snapshot::close);
    sink.onCancel(() -> cancelled = true);
  }

  @Override
  public void run() {
    if (cancelled) {
      return;
    }
    try {
      byte[] last = EngineReads.guarded(this::step);
      if (last.length == 0) {
        sink.success(count);
      } else {
        start = Arrays.copyOf(last, last.length + 1);
        readers.execute(this);
      }
    } catch (KvException e) {
      sink.error(e);
    }
  }

  /** Counts one step and returns the last key counted; empty at the end of the range. */
  private byte[] step() {
    ViewCursor cursor = snapshot.enter().range(start, end, false);
    try {
      for (int i = 0; i < STEP; i++) {
        if (!cursor.next()) {
          return new byte[0];
        }
        count++;
      }
      return cursor.key();
    } finally {
      snapshot.leave();
    }
  }
}
