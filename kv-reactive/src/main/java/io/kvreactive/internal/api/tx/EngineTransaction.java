package io.kvreactive.internal.api.tx;

import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvTransaction;
import io.kvreactive.KvType;
import io.kvreactive.ListOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.api.EntryMapper;
import io.kvreactive.internal.shared.ArgumentChecks;
import io.kvreactive.internal.shared.PagedFlux;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One attempt of a transaction. Thread-safe. */
final class EngineTransaction extends KvTransaction {
  private final KvEngine engine;
  private final ValueMapper values;
  private final SubscriberContext subscriberContext;
  private final KvEngine.Snapshot snapshot;
  private final long now;

  // guarded by this
  private final ReadSet reads;
  private final WriteBuffer writes = new WriteBuffer();
  private final List<Enqueue> enqueues = new ArrayList<>();
  private final Set<Throwable> outdated = Collections.newSetFromMap(new IdentityHashMap<>());
  private @Nullable KvException undelivered; // the refusal of a list
  private boolean ended;

  /**
   * Creates an attempt.
   *
   * @param snapshot the snapshot to read, which is closed when the transaction ends
   */
  EngineTransaction(
      KvEngine engine,
      ValueMapper values,
      SubscriberContext subscriberContext,
      KvEngine.Snapshot snapshot) {
    super(values::encode);
    this.engine = engine;
    this.values = values;
    this.subscriberContext = subscriberContext;
    this.snapshot = snapshot;
    this.now = engine.now();
    this.reads = new ReadSet(snapshot.versionstamp());
  }

  @Override
  protected KvTransaction addMutation(LongFunction<Mutation> mutation) {
    Mutation timed = mutation.apply(now);
    synchronized (this) {
      checkOpen();
      writes.add(timed);
    }
    return this;
  }

  @Override
  protected KvTransaction addEnqueue(LongFunction<Enqueue> enqueue) {
    Enqueue timed = enqueue.apply(now);
    synchronized (this) {
      checkOpen();
      enqueues.add(timed);
    }
    return this;
  }

  @Override
  public Versionstamp snapshot() {
    return snapshot.versionstamp();
  }

  @Override
  public <T> Mono<KvEntry<T>> get(KvKey key, KvType<T> type) {
    return subscriberContext.apply(
        Mono.defer(() -> points(List.of(key), type).next(1).map(page -> taken(page.get(0)))));
  }

  @Override
  public <T> Flux<KvEntry<T>> getMany(List<KvKey> keys, KvType<T> type) {
    return deferFlux(
        () -> {
          List<KvKey> requested = List.copyOf(keys);
          ArgumentChecks.withinLimit("keys", requested.size(), engine.limits().maxKeysPerGetMany());
          return new PagedFlux<>(subscriberContext.forSubscriber(), points(requested, type))
              .map(this::taken);
        });
  }

  private synchronized <T> PointReads<T> points(List<KvKey> keys, KvType<T> type) {
    checkOpen();
    List<@Nullable KeyWrites> over = keys.stream().map(key -> writes.of(key.bytes())).toList();
    return new PointReads<>(this, keys, over, type);
  }

  @Override
  public <T> Flux<KvEntry<T>> list(KvRange range, ListOptions options, KvType<T> type) {
    return deferFlux(
        () -> {
          int most = engine.limits().maxBatchSize();
          // the default is always allowed
          if (options.batchSize() != ListOptions.DEFAULT.batchSize()) {
            ArgumentChecks.withinLimit("batchSize", options.batchSize(), most);
          }
          KvRange rest = range.resume(options.cursor(), options.reverse());
          RangeReads<T> pages = ranges(rest, options, most, type);
          if (!engine.keepsVersions()) {
            return refuseList();
          }
          return new PagedFlux<>(subscriberContext.forSubscriber(), pages)
              .map(this::taken)
              .concatWith(Mono.defer(() -> ended(pages)));
        });
  }

  /**
   * Refuses a list, which needs a snapshot that keeps its entries. Until the error is delivered, it
   * decides in place of conflicts of reads beside it, which would meet the same list again. If the
   * list is cancelled before, it decides for this attempt: a failed read beside it cancels it, too.
   */
  private <T> Flux<T> refuseList() {
    KvException refusal =
        new KvException(
            KvErrorCode.UNSUPPORTED,
            "a range at a snapshot of a store that keeps no versions (expected: keys; or a list with"
                + " BATCH consistency, not in a transaction)");
    setUndelivered(refusal);
    return subscriberContext
        .apply(Flux.<T>error(refusal))
        .doOnError(delivered -> setUndelivered(null));
  }

  private synchronized void setUndelivered(@Nullable KvException refusal) {
    undelivered = refusal;
  }

  private synchronized <T> RangeReads<T> ranges(
      KvRange range, ListOptions options, int maxBatchSize, KvType<T> type) {
    checkOpen();
    WriteBuffer.Over over = writes.over(range.startBytes(), range.endBytes());
    return new RangeReads<>(this, range, options, maxBatchSize, over, type);
  }

  private synchronized <T> Mono<T> ended(RangeReads<?> pages) {
    checkOpen();
    pages.addRest(reads);
    return Mono.empty();
  }

  private <T> Flux<T> deferFlux(Supplier<Flux<T>> call) {
    return Flux.defer(
        () -> {
          try {
            return call.get();
          } catch (KvException e) {
            return subscriberContext.apply(Flux.error(e));
          }
        });
  }

  /** Adds an emitted entry to the read set. */
  private synchronized <T> KvEntry<T> taken(RecordedRead<T> read) {
    checkOpen();
    read.addTo(reads);
    return read.entry();
  }

  /**
   * Adds a read whose value could not be decoded to the read set, because its failure has been
   * observed.
   */
  synchronized void failed(RecordedRead<?> read) {
    read.addTo(reads);
  }

  <T> KvEntry<T> entry(KvKey key, @Nullable StoredEntry entry, KvType<T> type) {
    return entry == null
        ? new KvEntry<>(key, null, null, null, snapshot())
        : EntryMapper.of(entry, key, snapshot(), values, type);
  }

  /** Reads from the snapshot. */
  Mono<ReadResult> read(List<ReadRange> ranges) {
    return engine.read(ranges, snapshot).doOnError(this::noteOutdated);
  }

  private synchronized void noteOutdated(Throwable failure) {
    if (failure instanceof KvException e && e.code() == KvErrorCode.SNAPSHOT_TOO_OLD) {
      outdated.add(e);
    }
  }

  /**
   * Returns true if a read of this transaction failed with this error because its snapshot is too
   * old.
   */
  synchronized boolean isOutdated(Throwable failure) {
    return outdated.contains(failure);
  }

  /** Returns the failure of this attempt for a read that failed because its snapshot is too old. */
  synchronized Throwable conflict(Throwable failure) {
    return undelivered == null ? RetryableConflict.of(failure) : undelivered;
  }

  long now() {
    return now;
  }

  private void checkOpen() {
    if (ended) {
      throw new KvException(
          KvErrorCode.CLOSED, "the transaction has ended (expected: used inside its body only)");
    }
  }

  /** Ends the transaction. Idempotent. */
  synchronized void end() {
    ended = true;
    snapshot.close();
  }

  /**
   * Returns the commit of the ended transaction, or null if it has written nothing.
   *
   * @throws KvException LIMIT_EXCEEDED if more was read than a commit can check
   */
  synchronized @Nullable Commit commit() {
    if (writes.mutations().isEmpty() && enqueues.isEmpty()) {
      return null;
    }
    int most = engine.limits().maxChecks();
    if (reads.size() > most) {
      throw new KvException(
          KvErrorCode.LIMIT_EXCEEDED,
          "keys and ranges read by a transaction that writes: "
              + reads.size()
              + " (expected: at most "
              + most
              + ", the limit of checks in a commit; a list counts as one)");
    }
    return new Commit(
        List.copyOf(reads.checks()), reads.rangeChecks(), writes.mutations(), enqueues, null);
  }
}
