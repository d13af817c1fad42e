package io.kvreactive.internal.api;

import io.kvreactive.AtomicOperation;
import io.kvreactive.BackupProgress;
import io.kvreactive.BatchedAtomicOperation;
import io.kvreactive.ChangesOptions;
import io.kvreactive.CommitResult;
import io.kvreactive.CompactionProgress;
import io.kvreactive.EnqueueOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvCommit;
import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvLimits;
import io.kvreactive.KvMessage;
import io.kvreactive.KvPage;
import io.kvreactive.KvRange;
import io.kvreactive.KvRecord;
import io.kvreactive.KvStats;
import io.kvreactive.KvTransaction;
import io.kvreactive.KvType;
import io.kvreactive.KvUpdate;
import io.kvreactive.KvValue;
import io.kvreactive.ListOptions;
import io.kvreactive.LoadOptions;
import io.kvreactive.LoadProgress;
import io.kvreactive.QueueOptions;
import io.kvreactive.TransactionOptions;
import io.kvreactive.VerifyReport;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.api.bulk.BulkLoader;
import io.kvreactive.internal.api.bulk.JsonLines;
import io.kvreactive.internal.api.tx.Transactions;
import io.kvreactive.internal.shared.ArgumentChecks;
import io.kvreactive.internal.shared.PagedFlux;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.internal.shared.Weighted;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.ReadRange;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** {@link Kv} over an engine. */
public final class EngineKv implements Kv {
  /** Number of commits that {@code listAndWatch} reads ahead of demand; they may be large. */
  private static final int UPDATES_AHEAD = 1;

  private final KvEngine engine;
  private final Mono<Void> release;
  private final ValueMapper values;
  private final SubscriberContext subscriberContext;
  private final Transactions transactions;
  private final BulkLoader loader;
  private final Sinks.Empty<Void> closed = Sinks.empty();
  private volatile boolean isClosed;

  /**
   * Creates a handle.
   *
   * @param subscriberContext the context on which signals are emitted
   * @param release subscribed to when the handle is closed
   */
  public EngineKv(
      KvEngine engine,
      ValueMapper values,
      SubscriberContext subscriberContext,
      Mono<Void> release) {
    this.engine = engine;
    this.values = values;
    this.subscriberContext = subscriberContext;
    this.release = release;
    this.transactions = new Transactions(engine, values, subscriberContext);
    this.loader = new BulkLoader(engine, values, subscriberContext);
  }

  @Override
  public Kv withEngine(UnaryOperator<KvEngine> around) {
    return new EngineKv(around.apply(engine), values, subscriberContext, Mono.empty());
  }

  @Override
  public <T> Mono<KvEntry<T>> get(KvKey key, KvType<T> type) {
    List<ReadRange> point = List.of(ReadRange.point(key.bytes()));
    return deferMono(
        () -> engine.read(point, null).map(result -> EntryMapper.at(result, 0, key, values, type)));
  }

  @Override
  public <T> Flux<KvEntry<T>> getMany(List<KvKey> keys, KvType<T> type) {
    return deferFlux(
        () -> {
          List<KvKey> requested = List.copyOf(keys);
          ArgumentChecks.withinLimit("keys", requested.size(), engine.limits().maxKeysPerGetMany());
          return new PagedFlux<>(
              subscriberContext.forSubscriber(), new PointPages<>(engine, requested, values, type));
        });
  }

  @Override
  public Mono<Versionstamp> set(KvKey key, @Nullable Object value) {
    return single(() -> new Mutation.Set(key.bytes(), values.encode(value)));
  }

  @Override
  public Mono<Versionstamp> set(KvKey key, @Nullable Object value, Duration expireIn) {
    return single(
        () ->
            new Mutation.Set(key.bytes(), values.encode(value), Expiry.in(expireIn, engine.now())));
  }

  @Override
  public Mono<Versionstamp> set(KvKey key, @Nullable Object value, Instant expireAt) {
    return single(() -> new Mutation.Set(key.bytes(), values.encode(value), Expiry.at(expireAt)));
  }

  @Override
  public Mono<Versionstamp> touch(KvKey key, Duration expireIn) {
    return touch(key, () -> Expiry.in(expireIn, engine.now()));
  }

  @Override
  public Mono<Versionstamp> touch(KvKey key, @Nullable Instant expireAt) {
    return touch(key, () -> expireAt == null ? 0 : Expiry.at(expireAt));
  }

  private Mono<Versionstamp> touch(KvKey key, LongSupplier expireAt) {
    return deferMono(() -> touch(new Mutation.Touch(key.bytes(), expireAt.getAsLong())));
  }

  private Mono<Versionstamp> touch(Mutation.Touch touch) {
    byte[] end = ReadRange.point(touch.key()).end();
    List<ReadRange> withoutValue = List.of(new ReadRange(touch.key(), end, 1, false, true));
    return engine
        .read(withoutValue, null)
        .flatMapIterable(read -> read.pages().get(0).entries())
        .next()
        .map(present -> new Check(touch.key(), present.versionstamp()))
        .flatMap(check -> engine.commit(new Commit(List.of(check), List.of(touch))))
        .flatMap(
            result ->
                result.committed() ? Mono.just(stamp(result)) : Mono.defer(() -> touch(touch)));
  }

  @Override
  public Mono<Versionstamp> delete(KvKey key) {
    return single(() -> new Mutation.Delete(key.bytes()));
  }

  @Override
  public Mono<Versionstamp> deleteRange(KvRange range) {
    return single(() -> new Mutation.DeleteRange(range.startBytes(), range.endBytes()));
  }

  private Mono<Versionstamp> single(Supplier<Mutation> mutation) {
    return deferMono(() -> engine.commit(Commit.of(mutation.get()))).map(EngineKv::stamp);
  }

  private static Versionstamp stamp(CommitResult result) {
    Versionstamp stamp = result.versionstamp();
    if (stamp == null) {
      throw new KvException(KvErrorCode.INTERNAL, "an unconditional commit had failed checks");
    }
    return stamp;
  }

  @Override
  public <T> Flux<KvEntry<T>> list(KvRange range, ListOptions options, KvType<T> type) {
    return deferFlux(
        () -> new PagedFlux<>(subscriberContext.forSubscriber(), pages(range, options, type)));
  }

  @Override
  public <T> Mono<KvPage<T>> page(KvRange range, ListOptions options, KvType<T> type) {
    return deferMono(
        () -> {
          RangePages<T> pages = pages(range, options, type);
          return pages
              .next(Long.MAX_VALUE)
              .map(entries -> pages.page(range, entries))
              .doFinally(ignored -> pages.close());
        });
  }

  private <T> RangePages<T> pages(KvRange range, ListOptions options, KvType<T> type) {
    int most = engine.limits().maxBatchSize();
    // the default is allowed with any limit
    if (options.batchSize() != ListOptions.DEFAULT.batchSize()) {
      ArgumentChecks.withinLimit("batchSize", options.batchSize(), most);
    }
    KvRange rest = range.resume(options.cursor(), options.reverse());
    return new RangePages<>(engine, rest, options, most, values, type);
  }

  @Override
  public Mono<Long> count(KvRange range) {
    return deferMono(() -> engine.count(range.startBytes(), range.endBytes()));
  }

  @Override
  public AtomicOperation atomic() {
    return new AtomicOperation(this::commit, values::encode, engine::now);
  }

  @Override
  public <T> Mono<T> transact(
      Function<? super KvTransaction, ? extends Mono<T>> body, TransactionOptions options) {
    return deferMono(() -> transactions.transact(body, options));
  }

  @Override
  public <T> Mono<KvEntry<T>> update(
      KvKey key,
      KvType<T> type,
      Function<? super KvEntry<T>, ? extends @Nullable T> function,
      TransactionOptions options) {
    return deferMono(() -> transactions.update(key, type, function, options));
  }

  @Override
  public BatchedAtomicOperation batchedAtomic() {
    return new BatchedAtomicOperation(
        commits -> deferFlux(() -> subscriberContext.apply(loader.commitAll(commits))),
        values::encode,
        engine::now,
        engine.limits());
  }

  @Override
  public Flux<LoadProgress> load(Publisher<? extends KvRecord> records, LoadOptions options) {
    return deferFlux(() -> subscriberContext.apply(loader.load(records, options)));
  }

  @Override
  public Flux<String> exportLines(KvRange range, ListOptions options) {
    if (options.keysOnly()) {
      return subscriberContext.apply(
          Flux.error(
              new KvException(
                  KvErrorCode.INVALID_ARGUMENT,
                  "keysOnly: true (expected: false, a line has a value)")));
    }
    return list(range, options, KvType.of(KvValue.class)).map(JsonLines::print);
  }

  @Override
  public Flux<LoadProgress> importLines(Publisher<String> lines, LoadOptions options) {
    return load(JsonLines.parse(lines, engine.limits()), options);
  }

  private Mono<CommitResult> commit(Commit commit) {
    return deferMono(() -> engine.commit(commit));
  }

  @Override
  public <T> Flux<List<KvEntry<T>>> watch(List<KvKey> keys, KvType<T> type) {
    List<KvKey> watched = List.copyOf(keys);
    return deferFlux(
        () ->
            subscriberContext.apply(
                engine
                    .watch(watched.stream().map(KvKey::bytes).toList())
                    .map(result -> EntryMapper.all(result, watched, values, type))
                    .takeUntilOther(closed.asMono())));
  }

  @Override
  public <T> Flux<KvCommit<T>> changes(
      KvRange range, @Nullable Versionstamp since, ChangesOptions options, KvType<T> type) {
    return deferFlux(
        () ->
            subscriberContext.applyInBatches(
                engine
                    .changes(request(range, since, options))
                    .map(commit -> ChangeMapper.weighed(commit, values, type))
                    .takeUntilOther(closed.asMono())));
  }

  private static ChangesRequest request(
      KvRange range, @Nullable Versionstamp since, ChangesOptions options) {
    long bookmark = Expiry.millis(options.bookmarkInterval());
    return new ChangesRequest(
        range.startBytes(), range.endBytes(), since, bookmark, options.oldValues());
  }

  @Override
  public <T> Flux<KvUpdate<T>> listAndWatch(KvRange range, ChangesOptions options, KvType<T> type) {
    return deferFlux(
        () -> {
          var list = new ListAndWatch<T>(pages(range, ListOptions.DEFAULT, type));
          if (!engine.followsChanges()) { // fails before anything is listed
            return follow(list, request(range, null, options), type);
          }
          return Flux.concat(
              new PagedFlux<>(subscriberContext.forSubscriber(), list),
              Flux.defer(() -> follow(list, request(range, list.since(), options), type)));
        });
  }

  private <T> Flux<KvUpdate<T>> follow(
      ListAndWatch<T> list, ChangesRequest request, KvType<T> type) {
    return subscriberContext.applyInBatches(
        engine
            .changes(request)
            .concatMapIterable(commit -> weighed(list, commit, type), UPDATES_AHEAD)
            .takeUntilOther(closed.asMono()));
  }

  private <T> List<Weighted<KvUpdate<T>>> weighed(
      ListAndWatch<T> list, CommittedChanges commit, KvType<T> type) {
    long bytes = ChangeMapper.bytes(commit);
    return list.updates(commit, values, type).stream()
        .map(update -> new Weighted<>(update, bytes))
        .toList();
  }

  @Override
  public Mono<Versionstamp> enqueue(@Nullable Object message, EnqueueOptions options) {
    return deferMono(
            () -> {
              Enqueue enqueue =
                  EnqueueMapper.of(values.encode(message), options).apply(engine.now());
              return engine.commit(
                  new Commit(List.of(), List.of(), List.of(), List.of(enqueue), null));
            })
        .map(EngineKv::stamp);
  }

  @Override
  public <T> Flux<KvMessage<T>> listenQueue(KvType<T> type, QueueOptions options) {
    return deferFlux(
        () -> {
          int name = options.queue().getBytes(StandardCharsets.UTF_8).length;
          ArgumentChecks.withinLimit(
              "bytes in the name", name, engine.limits().maxQueueNameBytes());
          return new QueueFlux<>(engine, subscriberContext, values, type, options, closed.asMono());
        });
  }

  @Override
  public <T> Mono<Void> handleQueue(
      KvType<T> type,
      QueueOptions options,
      int concurrency,
      Function<? super KvMessage<T>, ? extends Publisher<?>> handler) {
    if (concurrency < 1) {
      return subscriberContext.apply(
          Mono.error(ArgumentChecks.invalid("concurrency", concurrency, "at least 1")));
    }
    int inFlight = Math.max(concurrency, options.maxInFlight());
    Flux<KvMessage<T>> messages = listenQueue(type, options.withMaxInFlight(inFlight));
    return subscriberContext.apply(new QueueHandler<>(handler).run(messages, concurrency));
  }

  @Override
  public @Nullable UUID historyId() {
    return engine.historyId();
  }

  @Override
  public Mono<KvStats> stats() {
    return deferMono(engine::stats);
  }

  @Override
  public Flux<BackupProgress> backup(Path directory) {
    return deferFlux(() -> subscriberContext.apply(engine.backup(directory)));
  }

  @Override
  public Flux<VerifyReport> verify() {
    return deferFlux(() -> subscriberContext.apply(engine.verify()));
  }

  /** Defers a call, so that argument errors too are signalled on the subscriber's context. */
  private <T> Mono<T> deferMono(Supplier<Mono<T>> call) {
    return subscriberContext.apply(
        Mono.defer(
            () -> {
              checkOpen();
              return call.get();
            }));
  }

  /**
   * Defers a call, and signals argument errors on the subscriber's context.
   *
   * @param call returns a publisher that already emits there
   */
  private <T> Flux<T> deferFlux(Supplier<Flux<T>> call) {
    return Flux.defer(
        () -> {
          try {
            checkOpen();
            return call.get();
          } catch (KvException e) {
            return subscriberContext.apply(Flux.error(e));
          }
        });
  }

  private void checkOpen() {
    if (isClosed) {
      throw closedHandle();
    }
  }

  private static KvException closedHandle() {
    return new KvException(KvErrorCode.CLOSED, "the handle is closed");
  }

  @Override
  public Flux<CompactionProgress> compact() {
    return deferFlux(
        () -> {
          AtomicBoolean finished = new AtomicBoolean();
          Mono<CompactionProgress> end =
              Mono.defer(() -> finished.get() ? Mono.empty() : Mono.error(EngineKv::closedHandle));
          return subscriberContext.apply(
              engine
                  .compact()
                  .doOnComplete(() -> finished.set(true))
                  .takeUntilOther(closed.asMono()) // unlike an error, this cancels the compaction
                  .concatWith(end));
        });
  }

  @Override
  public KvEngine engine() {
    return engine;
  }

  @Override
  public KvLimits limits() {
    return engine.limits();
  }

  @Override
  public Mono<Void> close() {
    return Mono.defer(
        () -> {
          isClosed = true;
          closed.tryEmitEmpty();
          return subscriberContext.apply(release);
        });
  }
}
