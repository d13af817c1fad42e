package io.kvreactive.index.internal.api;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.kvreactive.Kv;
import io.kvreactive.index.Collection;
import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.CollectionInfo;
import io.kvreactive.index.IndexThreads;
import io.kvreactive.index.KvIndex;
import io.kvreactive.index.KvIndexOptions;
import io.kvreactive.index.internal.collection.Signals;
import io.kvreactive.index.internal.collection.Traffic;
import io.kvreactive.index.internal.exec.Statements;
import io.kvreactive.index.internal.transform.Background;
import io.kvreactive.index.internal.transform.Catalog;
import io.kvreactive.index.internal.vector.NeighborIndexes;
import io.kvreactive.index.internal.worker.Workers;
import io.kvreactive.spi.KvEngine;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The collections of a store: owns the runtime of each collection and the background work. */
public final class StoredIndex implements KvIndex {
  /**
   * Maximum number of runtimes. A name that no collection has takes a place as well, so that the
   * number must be bounded; a runtime that was dropped is made again when it is next asked for.
   */
  private static final int MAX_RUNTIMES = 4096;

  private final KvEngine engine;
  private final KvIndexOptions options;
  private final Catalog catalog;
  private final @Nullable Workers own; // null: somebody else closes the threads
  private final Signals signals;
  private final Traffic traffic = new Traffic();
  private final Statements statements = new Statements();
  private final NeighborIndexes neighbors;
  private final Cache<String, CollectionRuntime> runtimes =
      Caffeine.newBuilder().maximumSize(MAX_RUNTIMES).executor(Runnable::run).build();
  private final @Nullable Background background;

  private StoredIndex(KvEngine engine, KvIndexOptions options) {
    this.engine = engine;
    this.options = options;
    IndexThreads given = options.threads();
    Workers threads = given == null ? new Workers(IndexThreads.Limits.NONE) : (Workers) given;
    this.own = given == null ? threads : null;
    this.signals = new Signals(threads.share());
    this.neighbors = new NeighborIndexes(signals.threads().vectorMemory());
    AtomicReference<@Nullable Background> told = new AtomicReference<>();
    this.catalog = new Catalog(engine, signals.worker(), options, name -> tell(told.get(), name));
    this.background =
        options.background()
            ? new Background(
                engine, signals.threads().background(), traffic, options, catalog, neighbors)
            : null;
    told.set(background);
  }

  private static void tell(@Nullable Background background, String name) {
    if (background != null) {
      background.changed(name);
    }
  }

  /** The collections of a store. */
  public static KvIndex over(Kv kv, KvIndexOptions options) {
    StoredIndex index = new StoredIndex(kv.engine(), byStoreClock(options, kv.engine()));
    if (index.background != null) {
      index.background.start();
    }
    return index;
  }

  private static KvIndexOptions byStoreClock(KvIndexOptions options, KvEngine engine) {
    return options.clock().equals(InstantSource.system())
        ? options.withClock(() -> Instant.ofEpochMilli(engine.now()))
        : options;
  }

  @Override
  public <T> Collection<T> collection(String name, Class<T> type, CollectionDefinition definition) {
    return new StoredCollection<>(runtime(name), type, definition);
  }

  @Override
  public <T> Collection<T> collection(String name, Class<T> type) {
    return new StoredCollection<>(runtime(name), type, null);
  }

  private CollectionRuntime runtime(String name) {
    return runtimes.get(
        Catalog.checkName(name),
        missing ->
            new CollectionRuntime(
                engine, signals, options, catalog, traffic, statements, neighbors, missing));
  }

  @Override
  public Mono<CollectionInfo> create(String name, CollectionDefinition definition) {
    return signals.emit(
        Mono.defer(() -> catalog.create(Catalog.checkName(name), definition))
            .flatMap(created -> catalog.describe(name)));
  }

  @Override
  public Mono<CollectionInfo> describe(String name) {
    return signals.emit(Mono.defer(() -> catalog.describe(Catalog.checkName(name))));
  }

  @Override
  public Flux<CollectionInfo> collections() {
    return signals.emit(catalog.names().concatMap(catalog::describe, 1));
  }

  @Override
  public Mono<Boolean> drop(String name) {
    return signals.emit(
        Mono.defer(() -> catalog.drop(Catalog.checkName(name)))
            .doOnNext(
                dropped -> {
                  if (dropped && background != null) {
                    background.dropped();
                  }
                }));
  }

  @Override
  public Mono<Void> close() {
    Mono<Void> ended = background == null ? Mono.empty() : signals.emit(background.close());
    Workers mine = own;
    return ended.doFinally(
        end -> {
          neighbors.close();
          if (mine != null) {
            mine.close();
          }
        });
  }
}
