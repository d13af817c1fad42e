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
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * The reads of an engine: on reader threads, or on the caller's where that is asked for. Any thread
 * may call all of it.
 */
final class EngineReads {
  private static final int MAX_INLINE_KEYS = 16; // keys of a read that no thread is woken for

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

  /** See {@link KvEngine#read(List, KvEngine.Snapshot)}. */
  Mono<ReadResult> read(List<ReadRange> asked, KvEngine.@Nullable Snapshot snapshot) {
    List<ReadRange> ranges = ofUsers(asked);
    return onReader(
        ranges.size() == 1 && ranges.get(0).isPoint(),
        () -> readAt(ranges, snapshot),
        () -> checks.read(ranges));
  }

  /** Returns the same on the calling thread, which may wait for the disk. */
  ReadResult readHere(List<ReadRange> asked, KvEngine.@Nullable Snapshot snapshot) {
    List<ReadRange> ranges = ofUsers(asked);
    closeGuard.checkOpen();
    checks.read(ranges);
    return readers.here(() -> guarded(() -> readAt(ranges, snapshot)));
  }

  private ReadResult readAt(List<ReadRange> ranges, KvEngine.@Nullable Snapshot snapshot) {
    return snapshot == null
        ? readNewest(newest -> PageReader.read(newest, ranges))
        : PageReader.read(held(snapshot), ranges);
  }

  /**
   * What was written lately is on the heap; asking another thread for it costs more than it does.
   * Null when it is not there, or when more is asked.
   */
  @Nullable ReadResult readNow(List<ReadRange> asked) {
    if (asked.size() > MAX_INLINE_KEYS) {
      return null;
    }
    List<ReadRange> ranges = ofUsers(asked);
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
   * Reads keys that are watched. On a reader thread.
   *
   * @param points of users
   */
  ReadResult points(List<ReadRange> points, long maxBytes) {
    closeGuard.checkOpen();
    return guarded(() -> readNewest(newest -> PageReader.points(newest, points, maxBytes)));
  }

  /** Returns the same ranges without the store's own keys. */
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
        "snapshot: " + snapshot + " (expected: one of this engine's own)");
  }

  /** Holds the newest state. */
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
      sink.error(e);
      return;
    }
    sink.success(result);
  }

  /** MapDB throws errors of many kinds, also for what is none of ours. */
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
