package io.kvreactive.internal.api;

import io.kvreactive.AtomicOperation;
import io.kvreactive.CommitResult;
import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvLimits;
import io.kvreactive.KvPage;
import io.kvreactive.KvRange;
import io.kvreactive.KvType;
import io.kvreactive.ListOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.reactive.Emission;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.ReadRange;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** {@link Kv} over an engine. */
public final class EngineKv implements Kv {
  private final KvEngine engine;
  private final Mono<Void> release;
  private final ValueMapper values;
  private final Emission emission;
  private final Sinks.Empty<Void> closed = Sinks.empty();
  private volatile boolean isClosed;

  /**
   * @param emission where signals go
   * @param release what closing the handle does
   */
  public EngineKv(KvEngine engine, ValueMapper values, Emission emission, Mono<Void> release) {
    this.engine = engine;
    this.values = values;
    this.emission = emission;
    this.release = release;
  }

  @Override
  public <T> Mono<KvEntry<T>> get(KvKey key, KvType<T> type) {
    List<ReadRange> point = List.of(ReadRange.point(key.bytes()));
    return one(
        () -> engine.read(point, null).map(result -> Entries.at(result, 0, key, values, type)));
  }

  @Override
  public <T> Flux<KvEntry<T>> getMany(List<KvKey> keys, KvType<T> type) {
    return many(
        () -> {
          List<KvKey> asked = List.copyOf(keys);
          Entries.checkCount("keys", asked.size(), engine.limits().maxKeysPerGetMany());
          return new PagedFlux<>(emission, new PointPages<>(engine, asked, values, type));
        });
  }

  @Override
  public Mono<Versionstamp> set(KvKey key, @Nullable Object value) {
    return single(() -> new Mutation.Set(key.bytes(), values.encode(value)));
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
    return one(() -> engine.commit(Commit.of(mutation.get()))).map(EngineKv::stamp);
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
    return many(() -> new PagedFlux<>(emission, pages(range, options, type)));
  }

  @Override
  public <T> Mono<KvPage<T>> page(KvRange range, ListOptions options, KvType<T> type) {
    return one(
        () -> {
          RangePages<T> pages = pages(range, options, type);
          return pages
              .next(options.batchSize())
              .map(entries -> pages.page(range, entries))
              .doFinally(ignored -> pages.close());
        });
  }

  private <T> RangePages<T> pages(KvRange range, ListOptions options, KvType<T> type) {
    int most = engine.limits().maxBatchSize();
    if (options.batchSize() != ListOptions.DEFAULT.batchSize()) { // that one goes with any limit
      Entries.checkCount("batchSize", options.batchSize(), most);
    }
    KvRange rest = range.resume(options.cursor(), options.reverse());
    return new RangePages<>(engine, rest, options, most, values, type);
  }

  @Override
  public Mono<Long> count(KvRange range) {
    return one(() -> engine.count(range.startBytes(), range.endBytes()));
  }

  @Override
  public AtomicOperation atomic() {
    return new AtomicOperation(this::commit, values::encode);
  }

  private Mono<CommitResult> commit(Commit commit) {
    return one(() -> engine.commit(commit));
  }

  @Override
  public <T> Flux<List<KvEntry<T>>> watch(List<KvKey> keys, KvType<T> type) {
    List<KvKey> watched = List.copyOf(keys);
    return many(
        () ->
            emission.apply(
                engine
                    .watch(watched.stream().map(KvKey::bytes).toList())
                    .map(result -> Entries.all(result, watched, values, type))
                    .takeUntilOther(closed.asMono())));
  }

  /** What is wrong with a call is also told where signals are emitted. */
  private <T> Mono<T> one(Supplier<Mono<T>> call) {
    return emission.apply(
        Mono.defer(
            () -> {
              checkOpen();
              return call.get();
            }));
  }

  /**
   * @param call gives what emits where it should
   */
  private <T> Flux<T> many(Supplier<Flux<T>> call) {
    return Flux.defer(
        () -> {
          try {
            checkOpen();
            return call.get();
          } catch (KvException e) {
            return emission.apply(Flux.error(e));
          }
        });
  }

  private void checkOpen() {
    if (isClosed) {
      throw new KvException(KvErrorCode.CLOSED, "the handle is closed");
    }
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
          return emission.apply(release);
        });
  }
}
