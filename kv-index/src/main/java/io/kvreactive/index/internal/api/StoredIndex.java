package io.kvreactive.index.internal.api;

import io.kvreactive.Kv;
import io.kvreactive.index.Collection;
import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.CollectionInfo;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.KvIndex;
import io.kvreactive.index.KvIndexOptions;
import io.kvreactive.index.internal.collection.Signals;
import io.kvreactive.index.internal.collection.Views;
import io.kvreactive.index.internal.store.CollectionView;
import io.kvreactive.index.internal.transform.Background;
import io.kvreactive.index.internal.transform.Catalog;
import io.kvreactive.spi.KvEngine;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Collections in a store, by its engine. */
public final class StoredIndex implements KvIndex {
  private final KvEngine engine;
  private final KvIndexOptions options;
  private final Catalog catalog;
  private final @Nullable Background background;

  private StoredIndex(KvEngine engine, KvIndexOptions options) {
    this.engine = engine;
    this.options = options;
    AtomicReference<@Nullable Background> told = new AtomicReference<>();
    this.catalog = new Catalog(engine, options, name -> tell(told.get(), name));
    this.background = options.background() ? new Background(engine, options, catalog) : null;
    told.set(background);
  }

  private static void tell(@Nullable Background background, String name) {
    if (background != null) {
      background.changed(name);
    }
  }

  /** The collections of a store. */
  public static KvIndex over(Kv kv, KvIndexOptions options) {
    StoredIndex index = new StoredIndex(kv.engine(), options);
    if (index.background != null) {
      index.background.start();
    }
    return index;
  }

  @Override
  public <T> Collection<T> collection(String name, Class<T> type, CollectionDefinition definition) {
    Catalog.checkName(name);
    Mono<CollectionView> absent =
        Mono.defer(() -> catalog.create(name, definition))
            .onErrorResume(
                IndexException.class,
                e ->
                    e.code() == IndexErrorCode.COLLECTION_EXISTS
                        ? plainViews(name).refresh()
                        : Mono.error(e));
    Views views = new Views(engine, options.root(), name, absent, definition);
    return new StoredCollection<>(engine, options, catalog, views, type);
  }

  @Override
  public <T> Collection<T> collection(String name, Class<T> type) {
    Catalog.checkName(name);
    return new StoredCollection<>(engine, options, catalog, plainViews(name), type);
  }

  private Views plainViews(String name) {
    return new Views(engine, options.root(), name);
  }

  @Override
  public Mono<CollectionInfo> create(String name, CollectionDefinition definition) {
    return Signals.emit(
        Mono.defer(() -> catalog.create(Catalog.checkName(name), definition))
            .flatMap(created -> catalog.describe(name)));
  }

  @Override
  public Mono<CollectionInfo> describe(String name) {
    return Signals.emit(Mono.defer(() -> catalog.describe(Catalog.checkName(name))));
  }

  @Override
  public Flux<CollectionInfo> collections() {
    return Signals.emit(catalog.names().concatMap(catalog::describe, 1));
  }

  @Override
  public Mono<Boolean> drop(String name) {
    return Signals.emit(
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
    return background == null ? Mono.empty() : Signals.emit(background.close());
  }
}
