package io.kvreactive.documents.internal.api;

import io.kvreactive.KvError;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.internal.collection.CollectionMetadataCache;
import io.kvreactive.documents.internal.collection.ItemChangeFeed;
import io.kvreactive.documents.internal.collection.ItemOperations;
import io.kvreactive.documents.internal.collection.PartitionWatches;
import io.kvreactive.documents.internal.collection.SignalScheduler;
import io.kvreactive.documents.internal.exec.PatchFilter;
import io.kvreactive.documents.internal.exec.QueryEngine;
import io.kvreactive.documents.internal.exec.StatementCache;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.NeighborIndexCache;
import io.kvreactive.documents.internal.transform.CollectionCatalog;
import io.kvreactive.spi.KvEngine;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import reactor.core.publisher.Mono;

/**
 * The shared state of one collection: cached metadata, compiled statements with their plans, and
 * reserved document ids. All handles of a collection use the same runtime, which {@link
 * DefaultDocumentStore} owns. Thread-safe.
 */
final class CollectionRuntime {
  final KvEngine engine;
  final SignalScheduler signals;
  final DocumentStoreOptions options;
  final CollectionCatalog catalog;
  final CollectionMetadataCache metadataCache;
  final ItemOperations items;
  final QueryEngine queries;
  final LongAdder traffic;
  final NeighborIndexCache neighbors;
  final ItemChangeFeed changes;

  /**
   * Creates a runtime.
   *
   * @param statements the cache of compiled statements that the collections of the store share
   * @param neighbors the structures of vector indexes of the store
   * @param expiries receives the second at which the first written item of a commit expires
   */
  CollectionRuntime(
      KvEngine engine,
      SignalScheduler signals,
      DocumentStoreOptions options,
      CollectionCatalog catalog,
      LongAdder traffic,
      StatementCache statements,
      NeighborIndexCache neighbors,
      LongConsumer expiries,
      String name) {
    this.engine = engine;
    this.signals = signals;
    this.options = options;
    this.catalog = catalog;
    this.traffic = traffic;
    this.neighbors = neighbors;
    this.metadataCache =
        new CollectionMetadataCache(engine, signals.worker(), options.root(), name);
    this.items =
        new ItemOperations(
            engine,
            signals.worker(),
            traffic,
            options,
            metadataCache,
            filter -> PatchFilter.compile(filter, options.clock()),
            expiries);
    this.changes =
        new ItemChangeFeed(
            engine,
            signals.worker(),
            metadataCache,
            new PartitionWatches(engine, signals.worker()));
    this.queries =
        new QueryEngine(engine, metadataCache, options, statements, neighbors, signals.threads());
  }

  /**
   * Creates the collection if it does not exist. Errors: COLLECTION_EXISTS if it has another
   * definition.
   */
  Mono<CollectionMetadata> define(CollectionDefinition definition) {
    return Mono.defer(
            () -> {
              CollectionMetadata known = metadataCache.known();
              return known != null && definition.equals(known.definition())
                  ? Mono.just(known)
                  : metadataCache.refresh();
            })
        .onErrorResume(
            e -> KvError.is(e, DocumentErrorCode.COLLECTION_NOT_FOUND), e -> create(definition))
        .doOnNext(metadata -> checkSame(metadata, definition));
  }

  private Mono<CollectionMetadata> create(CollectionDefinition definition) {
    return Mono.defer(() -> catalog.create(metadataCache.name(), definition))
        .onErrorResume(
            e -> KvError.is(e, DocumentErrorCode.COLLECTION_EXISTS), // created concurrently
            e -> metadataCache.refresh());
  }

  private void checkSame(CollectionMetadata metadata, CollectionDefinition definition) {
    if (!definition.equals(metadata.definition())) {
      throw new DocumentException(
          DocumentErrorCode.COLLECTION_EXISTS,
          "collection \"" + metadataCache.name() + "\" exists with a different definition");
    }
  }
}
