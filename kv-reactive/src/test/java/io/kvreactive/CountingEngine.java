package io.kvreactive;

import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Counts the calls of an engine. */
final class CountingEngine implements KvEngine {
  private final KvEngine engine;
  private final AtomicInteger reads = new AtomicInteger();
  private final AtomicInteger entries = new AtomicInteger();
  private final AtomicInteger snapshots = new AtomicInteger();

  private record Counted(Snapshot held, AtomicBoolean closed, AtomicInteger open)
      implements Snapshot {
    @Override
    public Versionstamp versionstamp() {
      return held.versionstamp();
    }

    @Override
    public void close() {
      held.close();
      if (closed.compareAndSet(false, true)) {
        open.decrementAndGet();
      }
    }
  }

  private volatile Runnable whenTaken = () -> {};

  CountingEngine(KvEngine engine) {
    this.engine = engine;
  }

  void reset() {
    reads.set(0);
    entries.set(0);
  }

  int reads() {
    return reads.get();
  }

  int entriesRead() {
    return entries.get();
  }

  int openSnapshots() {
    return snapshots.get();
  }

  @Override
  public Mono<ReadResult> read(List<ReadRange> ranges, @Nullable Snapshot snapshot, long maxBytes) {
    Snapshot held = snapshot instanceof Counted counted ? counted.held : snapshot;
    return engine
        .read(ranges, held, maxBytes)
        .doOnSubscribe(ignored -> reads.incrementAndGet())
        .doOnNext(
            result -> result.pages().forEach(page -> entries.addAndGet(page.entries().size())));
  }

  @Override
  public Mono<Long> count(byte[] start, byte[] end) {
    return engine.count(start, end);
  }

  /** Runs an action between the creation of a snapshot and its emission. */
  void whenSnapshotIsTaken(Runnable action) {
    whenTaken = action;
  }

  @Override
  public Mono<Snapshot> snapshot() {
    return Mono.fromSupplier(
        () -> {
          AtomicReference<Snapshot> taken = new AtomicReference<>();
          engine.snapshot().subscribe(taken::set);
          snapshots.incrementAndGet();
          whenTaken.run();
          return new Counted(taken.get(), new AtomicBoolean(), snapshots);
        });
  }

  @Override
  public Mono<io.kvreactive.CommitResult> commit(Commit commit) {
    return engine.commit(commit);
  }

  @Override
  public Flux<ReadResult> watch(List<byte[]> keys) {
    return engine.watch(keys);
  }

  @Override
  public Flux<io.kvreactive.spi.CommittedChanges> changes(
      io.kvreactive.spi.ChangesRequest request) {
    return engine.changes(request);
  }

  @Override
  public LongAdder userOperations() {
    return engine.userOperations();
  }

  @Override
  public KvLimits limits() {
    return engine.limits();
  }

  @Override
  public Mono<Void> close() {
    return engine.close();
  }
}
