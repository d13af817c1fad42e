package io.kvreactive.index.internal.api;

import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.KvIndexOptions;
import io.kvreactive.index.internal.collection.Items;
import io.kvreactive.index.internal.collection.Signals;
import io.kvreactive.index.internal.collection.Traffic;
import io.kvreactive.index.internal.collection.Views;
import io.kvreactive.index.internal.exec.Queries;
import io.kvreactive.index.internal.exec.Statements;
import io.kvreactive.index.internal.exec.StoredQueries;
import io.kvreactive.index.internal.store.CollectionView;
import io.kvreactive.index.internal.transform.Catalog;
import io.kvreactive.index.internal.vector.NeighborIndexes;
import io.kvreactive.spi.KvEngine;
import reactor.core.publisher.Mono;

/**
 * The shared state of one collection: cached metadata, compiled statements with their plans, and
 * reserved document ids. All handles of a collection use the same runtime, which {@link
 * StoredIndex} owns. Thread-safe.
 */
final class CollectionRuntime {
  final KvEngine engine;
  final Signals signals;
  final KvIndexOptions options;
  final Catalog catalog;
  final Views views;
  final Items items;
  final Queries queries;
  final Traffic traffic;
  final NeighborIndexes neighbors;

  /**
   * @param statements the cache of compiled statements that the collections of the store share
   * @param neighbors the structures of vector indexes of the store
   */
  CollectionRuntime(
      KvEngine engine,
      Signals signals,
      KvIndexOptions options,
      Catalog catalog,
      Traffic traffic,
      Statements statements,
      NeighborIndexes neighbors,
      String name) {
    this.engine = engine;
    this.signals = signals;
    this.options = options;
    this.catalog = catalog;
    this.traffic = traffic;
    this.neighbors = neighbors;
    this.views = new Views(engine, signals.worker(), options.root(), name);
    this.items = new Items(engine, signals.worker(), traffic, options, views);
    this.queries =
        new StoredQueries(engine, views, options, statements, neighbors, signals.threads());
  }

  /**
   * Creates the collection if it does not exist. Errors: COLLECTION_EXISTS if it has another
   * definition.
   */
  Mono<CollectionView> define(CollectionDefinition definition) {
    return Mono.defer(
            () -> {
              CollectionView known = views.known();
              return known != null && definition.equals(known.definition())
                  ? Mono.just(known)
                  : views.refresh();
            })
        .onErrorResume(
            e -> hasCode(e, IndexErrorCode.COLLECTION_NOT_FOUND), e -> create(definition))
        .doOnNext(view -> checkSame(view, definition));
  }

  private Mono<CollectionView> create(CollectionDefinition definition) {
    return Mono.defer(() -> catalog.create(views.name(), definition))
        .onErrorResume(
            e -> hasCode(e, IndexErrorCode.COLLECTION_EXISTS), // by somebody else meanwhile
            e -> views.refresh());
  }

  private void checkSame(CollectionView view, CollectionDefinition definition) {
    if (!definition.equals(view.definition())) {
      throw new IndexException(
          IndexErrorCode.COLLECTION_EXISTS,
          "collection \"" + views.name() + "\" exists with a different definition");
    }
  }

  static boolean hasCode(Throwable failure, IndexErrorCode code) {
    return failure instanceof IndexException known && known.code() == code;
  }
}
