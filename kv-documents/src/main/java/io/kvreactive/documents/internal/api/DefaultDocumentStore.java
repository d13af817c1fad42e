package io.kvreactive.documents.internal.api;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.kvreactive.Kv;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CollectionInfo;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.DocumentThreads;
import io.kvreactive.documents.internal.collection.SignalScheduler;
import io.kvreactive.documents.internal.exec.StatementCache;
import io.kvreactive.documents.internal.store.NeighborIndexCache;
import io.kvreactive.documents.internal.transform.CollectionCatalog;
import io.kvreactive.documents.internal.transform.MaintenanceService;
import io.kvreactive.documents.internal.worker.Workers;
import io.kvreactive.spi.KvEngine;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The default document store: owns the runtime of each collection and the background work. */
public final class DefaultDocumentStore implements DocumentStore {
  /**
   * Maximum number of runtimes. Names without a collection have a runtime as well, so the number
   * must be bounded. A dropped runtime is created again on the next request.
   */
  private static final int MAX_RUNTIMES = 4096;

  private final KvEngine engine;
  private final DocumentStoreOptions options;
  private final CollectionCatalog catalog;
  private final @Nullable Workers own; // null: the caller closes the threads
  private final SignalScheduler signals;
  private final LongAdder traffic;
  private final StatementCache statements = new StatementCache();
  private final NeighborIndexCache neighbors;
  private final Cache<String, CollectionRuntime> runtimes =
      Caffeine.newBuilder().maximumSize(MAX_RUNTIMES).executor(Runnable::run).build();
  private final @Nullable MaintenanceService background;

  private DefaultDocumentStore(KvEngine engine, DocumentStoreOptions options) {
    this.engine = engine;
    this.traffic = engine.userOperations();
    this.options = options;
    DocumentThreads given = options.threads();
    Workers threads = given == null ? new Workers(DocumentThreads.Limits.NONE) : (Workers) given;
    this.own = given == null ? threads : null;
    this.signals = new SignalScheduler(threads.share());
    this.neighbors = new NeighborIndexCache(signals.threads().vectorMemory());
    AtomicReference<@Nullable MaintenanceService> service = new AtomicReference<>();
    this.catalog =
        new CollectionCatalog(
            engine, signals.worker(), options, name -> notifyChanged(service.get(), name));
    this.background =
        options.background()
            ? new MaintenanceService(
                engine, signals.threads().background(), traffic, options, catalog, neighbors)
            : null;
    service.set(background);
  }

  private static void notifyChanged(@Nullable MaintenanceService background, String name) {
    if (background != null) {
      background.changed(name);
    }
  }

  /** Returns the document collections of a store. */
  public static DocumentStore over(Kv kv, DocumentStoreOptions options) {
    DefaultDocumentStore index =
        new DefaultDocumentStore(kv.engine(), byStoreClock(options, kv.engine()));
    if (index.background != null) {
      index.background.start();
    }
    return index;
  }

  private static DocumentStoreOptions byStoreClock(DocumentStoreOptions options, KvEngine engine) {
    return options.clock().equals(InstantSource.system())
        ? options.withClock(() -> Instant.ofEpochMilli(engine.now()))
        : options;
  }

  @Override
  public <T> DocumentCollection<T> collection(
      String name, Class<T> type, CollectionDefinition definition) {
    return new DefaultDocumentCollection<>(runtime(name), type, definition);
  }

  @Override
  public <T> DocumentCollection<T> collection(String name, Class<T> type) {
    return new DefaultDocumentCollection<>(runtime(name), type, null);
  }

  private CollectionRuntime runtime(String name) {
    return runtimes.get(
        CollectionCatalog.checkName(name),
        missing ->
            new CollectionRuntime(
                engine,
                signals,
                options,
                catalog,
                traffic,
                statements,
                neighbors,
                second -> {
                  if (background != null) {
                    background.expires(missing, second);
                  }
                },
                missing));
  }

  @Override
  public Mono<CollectionInfo> create(String name, CollectionDefinition definition) {
    return signals.emit(
        Mono.defer(() -> catalog.create(CollectionCatalog.checkName(name), definition))
            .flatMap(created -> catalog.describe(name)));
  }

  @Override
  public Mono<CollectionInfo> describe(String name) {
    return signals.emit(Mono.defer(() -> catalog.describe(CollectionCatalog.checkName(name))));
  }

  @Override
  public Flux<CollectionInfo> collections() {
    return signals.emit(catalog.names().concatMap(catalog::describe, 1));
  }

  @Override
  public Mono<Boolean> drop(String name) {
    return signals.emit(
        Mono.defer(() -> catalog.drop(CollectionCatalog.checkName(name)))
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
          signals.threads().heldResults().close(engine);
          if (mine != null) {
            mine.close();
          }
        });
  }
}
