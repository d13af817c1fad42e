package io.kvreactive.internal.api;

import io.kvreactive.AtomicOperation;
import io.kvreactive.BatchedAtomicOperation;
import io.kvreactive.ChangesOptions;
import io.kvreactive.CommitResult;
import io.kvreactive.Kv;
import io.kvreactive.KvAdmin;
import io.kvreactive.KvCommit;
import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvLimits;
import io.kvreactive.KvPage;
import io.kvreactive.KvQueues;
import io.kvreactive.KvRange;
import io.kvreactive.KvRecord;
import io.kvreactive.KvTransaction;
import io.kvreactive.KvType;
import io.kvreactive.KvUpdate;
import io.kvreactive.ListOptions;
import io.kvreactive.LoadOptions;
import io.kvreactive.LoadProgress;
import io.kvreactive.TransactionOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.api.bulk.BulkLoader;
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
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** {@link Kv} over an engine. */
public final class EngineKv implements Kv {
  /** Number of commits that {@code listAndWatch} reads ahead of demand; they may be large. */
  private static final int UPDATES_AHEAD = 1;

  private final KvEngine engine;
  private final ValueMapper values;
  private final HandleScope scope;
  private final Transactions transactions;
  private final BulkLoader loader;
  private final KvQueues queues;
  private final KvAdmin admin;

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
    this.scope = new HandleScope(subscriberContext, release);
    this.transactions = new Transactions(engine, values, subscriberContext);
    this.loader = new BulkLoader(engine, values, subscriberContext);
    this.queues = new EngineQueues(engine, values, scope);
    this.admin = new EngineAdmin(engine, this, scope);
  }

  @Override
  public Kv withEngine(UnaryOperator<KvEngine> around) {
    return new EngineKv(around.apply(engine), values, scope.context(), Mono.empty());
  }

  @Override
  public <T> Mono<KvEntry<T>> get(KvKey key, KvType<T> type) {
    List<ReadRange> point = List.of(ReadRange.point(key.bytes()));
    return scope.mono(
        () -> {
          ReadResult now = engine.readNow(point);
          Mono<ReadResult> read =
              now != null && now.bytes() <= SubscriberContext.SMALL_BYTES
                  ? Mono.just(now)
                  : engine.read(point, null);
          return read.map(result -> EntryMapper.at(result, 0, key, values, type));
        });
  }

  @Override
  public <T> Flux<KvEntry<T>> getMany(List<KvKey> keys, KvType<T> type) {
    return scope.flux(
        () -> {
          List<KvKey> requested = List.copyOf(keys);
          ArgumentChecks.withinLimit("keys", requested.size(), engine.limits().maxKeysPerGetMany());
          return new PagedFlux<>(
              scope.context().forSubscriber(), new PointPages<>(engine, requested, values, type));
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
    return scope.mono(() -> touch(new Mutation.Touch(key.bytes(), expireAt.getAsLong())));
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
    return scope.mono(() -> engine.commit(Commit.of(mutation.get()))).map(EngineKv::stamp);
  }

  /** Returns the versionstamp of a commit without checks. */
  static Versionstamp stamp(CommitResult result) {
    Versionstamp stamp = result.versionstamp();
    if (stamp == null) {
      throw new KvException(KvErrorCode.INTERNAL, "an unconditional commit had failed checks");
    }
    return stamp;
  }

  @Override
  public <T> Flux<KvEntry<T>> list(KvRange range, ListOptions options, KvType<T> type) {
    return scope.flux(
        () -> new PagedFlux<>(scope.context().forSubscriber(), pages(range, options, type)));
  }

  @Override
  public <T> Mono<KvPage<T>> page(KvRange range, ListOptions options, KvType<T> type) {
    return scope.mono(
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
    return scope.mono(() -> engine.count(range.startBytes(), range.endBytes()));
  }

  @Override
  public AtomicOperation atomic() {
    return new AtomicOperation(this::commit, values::encode, engine::now);
  }

  @Override
  public <T> Mono<T> transact(
      Function<? super KvTransaction, ? extends Mono<T>> body, TransactionOptions options) {
    return scope.mono(() -> transactions.transact(body, options));
  }

  @Override
  public <T> Mono<KvEntry<T>> update(
      KvKey key,
      KvType<T> type,
      Function<? super KvEntry<T>, ? extends @Nullable T> function,
      TransactionOptions options) {
    return scope.mono(() -> transactions.update(key, type, function, options));
  }

  @Override
  public BatchedAtomicOperation batchedAtomic() {
    return new BatchedAtomicOperation(
        commits -> scope.flux(() -> scope.context().apply(loader.commitAll(commits))),
        values::encode,
        engine::now,
        engine.limits());
  }

  @Override
  public Flux<LoadProgress> load(Publisher<? extends KvRecord> records, LoadOptions options) {
    return scope.flux(() -> scope.context().apply(loader.load(records, options)));
  }

  private Mono<CommitResult> commit(Commit commit) {
    return scope.mono(() -> engine.commit(commit));
  }

  @Override
  public <T> Flux<List<KvEntry<T>>> watch(List<KvKey> keys, KvType<T> type) {
    List<KvKey> watched = List.copyOf(keys);
    return scope.flux(
        () ->
            scope
                .context()
                .apply(
                    engine
                        .watch(watched.stream().map(KvKey::bytes).toList())
                        .map(result -> EntryMapper.all(result, watched, values, type))
                        .takeUntilOther(scope.closed())));
  }

  @Override
  public <T> Flux<KvCommit<T>> changes(
      KvRange range, @Nullable Versionstamp since, ChangesOptions options, KvType<T> type) {
    return scope.flux(
        () ->
            scope
                .context()
                .applyInBatches(
                    engine
                        .changes(request(range, since, options))
                        .map(commit -> ChangeMapper.weighed(commit, values, type))
                        .takeUntilOther(scope.closed())));
  }

  private static ChangesRequest request(
      KvRange range, @Nullable Versionstamp since, ChangesOptions options) {
    long bookmark = Expiry.millis(options.bookmarkInterval());
    return new ChangesRequest(
        range.startBytes(), range.endBytes(), since, bookmark, options.oldValues());
  }

  @Override
  public <T> Flux<KvUpdate<T>> listAndWatch(KvRange range, ChangesOptions options, KvType<T> type) {
    return scope.flux(
        () -> {
          var list = new ListAndWatch<T>(pages(range, ListOptions.DEFAULT, type));
          if (!engine.followsChanges()) { // fails before anything is listed
            return follow(list, request(range, null, options), type);
          }
          return Flux.concat(
              new PagedFlux<>(scope.context().forSubscriber(), list),
              Flux.defer(() -> follow(list, request(range, list.since(), options), type)));
        });
  }

  private <T> Flux<KvUpdate<T>> follow(
      ListAndWatch<T> list, ChangesRequest request, KvType<T> type) {
    return scope
        .context()
        .applyInBatches(
            engine
                .changes(request)
                .concatMapIterable(commit -> weighed(list, commit, type), UPDATES_AHEAD)
                .takeUntilOther(scope.closed()));
  }

  private <T> List<Weighted<KvUpdate<T>>> weighed(
      ListAndWatch<T> list, CommittedChanges commit, KvType<T> type) {
    long bytes = ChangeMapper.bytes(commit);
    return list.updates(commit, values, type).stream()
        .map(update -> new Weighted<>(update, bytes))
        .toList();
  }

  @Override
  public @Nullable UUID historyId() {
    return engine.historyId();
  }

  @Override
  public KvQueues queues() {
    return queues;
  }

  @Override
  public KvAdmin admin() {
    return admin;
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
    return scope.close();
  }
}
