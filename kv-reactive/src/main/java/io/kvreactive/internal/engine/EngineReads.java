package io.kvreactive.internal.engine;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.StoreSnapshot;
import io.kvreactive.internal.store.SystemKeys;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** The reads of an engine, on reader threads or on the calling thread. Thread-safe. */
final class EngineReads {
  // maximum number of keys that are read without waking a thread
  private static final int MAX_INLINE_KEYS = 16;

  private final Store store;
  private final LimitChecks checks;
  private final ReadPool readers;
  private final CloseGuard closeGuard;

  EngineReads(Store store, LimitChecks checks, ReadPool readers, CloseGuard closeGuard) {
    this.store = store;
    this.checks = checks;
    this.readers = readers;
    this.closeGuard = closeGuard;
  }

  /** Reads ranges on a reader thread; see {@link KvEngine#read(List, KvEngine.Snapshot, long)}. */
  Mono<ReadResult> read(
      List<ReadRange> requested, KvEngine.@Nullable Snapshot snapshot, long maxBytes) {
    List<ReadRange> ranges = ofUsers(requested);
    long most = Math.min(maxBytes, PageReader.PAGE_BYTES);
    return onReader(
        ranges.size() == 1 && ranges.get(0).isPoint(),
        () -> readAt(ranges, snapshot, most),
        () -> checks.read(ranges));
  }

  /**
   * Reads ranges on the calling thread, which may wait for the disk; see {@link KvEngine#readHere}.
   */
  ReadResult readHere(
      List<ReadRange> requested, KvEngine.@Nullable Snapshot snapshot, long maxBytes) {
    List<ReadRange> ranges = ofUsers(requested);
    long most = Math.min(maxBytes, PageReader.PAGE_BYTES);
    closeGuard.checkOpen();
    checks.read(ranges);
    return readers.here(() -> guarded(() -> readAt(ranges, snapshot, most)));
  }

  private ReadResult readAt(
      List<ReadRange> ranges, KvEngine.@Nullable Snapshot snapshot, long maxBytes) {
    return snapshot == null
        ? readNewest(newest -> PageReader.read(newest, ranges, maxBytes))
        : PageReader.read(held(snapshot), ranges, maxBytes);
  }

  /**
   * Reads keys whose newest state is in memory. Handing such a read to another thread costs more
   * than the read. Returns null if a key must be looked up in the image, or for other requests than
   * a few single keys.
   */
  @Nullable ReadResult readNow(List<ReadRange> requested) {
    if (requested.size() > MAX_INLINE_KEYS) {
      return null;
    }
    List<ReadRange> ranges = ofUsers(requested);
    for (ReadRange range : ranges) {
      if (!range.isPoint()) {
        return null;
      }
    }
    closeGuard.checkOpen();
    checks.read(ranges);
    try (var newest = store.snapshot()) {
      return PageReader.readInMemory(newest, ranges);
    }
  }

  /**
   * Reads watched keys. Must be called on a reader thread.
   *
   * @param points the keys as ranges, without internal keys
   */
  ReadResult points(List<ReadRange> points, long maxBytes) {
    closeGuard.checkOpen();
    return guarded(() -> readNewest(newest -> PageReader.points(newest, points, maxBytes)));
  }

  /** Returns the ranges clipped so that they exclude the store's internal keys. */
  static List<ReadRange> ofUsers(List<ReadRange> ranges) {
    for (ReadRange range : ranges) {
      if (SystemKeys.isSystem(range.end())) {
        return ranges.stream().map(EngineReads::ofUsers).toList();
      }
    }
    return ranges;
  }

  private static ReadRange ofUsers(ReadRange range) {
    return new ReadRange(
        SystemKeys.clamp(range.start()),
        SystemKeys.clamp(range.end()),
        range.limit(),
        range.reverse(),
        range.keysOnly());
  }

  private ReadResult readNewest(Function<StoreSnapshot, ReadResult> read) {
    try (var newest = store.snapshot()) {
      return read.apply(newest);
    }
  }

  private static StoreSnapshot held(KvEngine.Snapshot snapshot) {
    if (snapshot instanceof HeldSnapshot held) {
      return held.held();
    }
    throw new KvException(
        KvErrorCode.INVALID_ARGUMENT,
        "snapshot: " + snapshot + " (expected: a snapshot of this engine)");
  }

  /** Emits a snapshot of the newest version. */
  Mono<KvEngine.Snapshot> snapshot() {
    return Mono.fromSupplier(
        () -> {
          closeGuard.checkOpen();
          return new HeldSnapshot(store.snapshot());
        });
  }

  private record HeldSnapshot(StoreSnapshot held) implements KvEngine.Snapshot {
    @Override
    public Versionstamp versionstamp() {
      return Versionstamp.of(held.version());
    }

    @Override
    public void close() {
      held.close();
    }
  }

  private static <T> ReadPool.LongRead longRead(MonoSink<T> sink, Supplier<T> read) {
    return () -> complete(sink, read);
  }

  private <T> Mono<T> onReader(boolean isShort, Supplier<T> read, Runnable validate) {
    return Mono.create(
        sink -> {
          try {
            closeGuard.checkOpen();
            validate.run();
            readers.execute(isShort ? () -> complete(sink, read) : longRead(sink, read));
          } catch (KvException e) {
            sink.error(e);
          }
        });
  }

  private static <T> void complete(MonoSink<T> sink, Supplier<T> read) {
    T result;
    try {
      result = guarded(read);
    } catch (KvException e) {
      fail(sink, e);
      return;
    }
    sink.success(result);
  }

  /**
   * Signals a failure, unless the read was cancelled meanwhile: it may have failed because its
   * snapshot was closed, and its subscriber cannot receive the failure.
   */
  private static void fail(MonoSink<?> sink, KvException failure) {
    AtomicBoolean cancelled = new AtomicBoolean();
    sink.onCancel(() -> cancelled.set(true)); // at once if it was cancelled
    if (!cancelled.get()) {
      sink.error(failure);
    }
  }

  /** Runs a read and converts its failure. MapDB throws errors of many types. */
  static <T> T guarded(Supplier<T> read) {
    try {
      return read.get();
    } catch (KvException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      throw new KvException(KvErrorCode.INTERNAL, "read failed: " + e, e);
    }
  }

  /** Counts the keys of a range. */
  Mono<Long> count(byte[] start, byte[] end) {
    return Mono.create(
        sink -> {
          try {
            closeGuard.checkOpen();
            checks.read(List.of(new ReadRange(start, end, 1, false, true)));
            byte[] from = SystemKeys.clamp(start);
            byte[] to = SystemKeys.clamp(end);
            RangeCount count = new RangeCount(store.snapshot(), from, to, readers, sink);
            readers.execute(count);
          } catch (KvException e) {
            sink.error(e);
          }
        });
  }
}
