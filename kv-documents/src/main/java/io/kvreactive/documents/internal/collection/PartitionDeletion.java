package io.kvreactive.documents.internal.collection;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvError;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.BatchOperation;
import io.kvreactive.documents.BatchResult;
import io.kvreactive.documents.DeleteProgress;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.TransactionalBatch;
import io.kvreactive.documents.WriteOptions;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.StoredItem;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Deletes the items of one partition key: as one batch if they fit into one, otherwise each in its
 * own commit, some of them at a time. An instance must be used only once.
 */
final class PartitionDeletion {
  private static final int PAGE = 256;
  private static final int CONCURRENCY = 32;

  /** Number of items after which the progress is emitted. */
  private static final int TOLD = 256;

  /** Repeats a batch if another writer has deleted an item meanwhile. */
  private static final Retry WHEN_DELETED =
      Retry.max(WriteAttempts.MAX_ATTEMPTS)
          .filter(e -> KvError.is(e, DocumentErrorCode.ITEM_NOT_FOUND))
          .onRetryExhaustedThrow((spec, signal) -> signal.failure());

  private final ItemWriter writer;
  private final Function<TransactionalBatch, Mono<BatchResult<ObjectNode>>> execute;
  private final DeleteCounter counter = new DeleteCounter();

  /**
   * Creates a deletion.
   *
   * @param execute executes a batch
   */
  PartitionDeletion(
      ItemWriter writer, Function<TransactionalBatch, Mono<BatchResult<ObjectNode>>> execute) {
    this.writer = writer;
    this.execute = execute;
  }

  /** Deletes the items, and emits the progress. */
  Flux<DeleteProgress> run(PartitionKey partition) {
    return writer
        .metadataCache
        .refresh()
        .flatMapMany(
            metadata -> {
              PartitionPrefix prefix = new PartitionPrefix(partition, metadata);
              Flux<DeleteProgress> oneByOne = oneByOne(metadata, prefix);
              return prefix.isComplete()
                  ? atOnce(metadata, prefix, partition).flux().switchIfEmpty(oneByOne)
                  : oneByOne;
            });
  }

  private Flux<DeleteProgress> oneByOne(CollectionMetadata metadata, PartitionPrefix prefix) {
    return items(metadata, prefix)
        .flatMap(item -> delete(item.document()), CONCURRENCY, 1)
        .<DeleteProgress>handle(
            (stamp, sink) -> {
              if (counter.deleted(1, stamp) % TOLD == 0) {
                sink.next(counter.progress());
              }
            })
        .concatWith(Mono.fromSupplier(counter::progress));
  }

  /** Deletes the items as one batch, and emits the progress; empty if they do not fit into one. */
  private Mono<DeleteProgress> atOnce(
      CollectionMetadata metadata, PartitionPrefix prefix, PartitionKey partition) {
    return Mono.defer(
            () -> {
              List<BatchOperation> deletes = new ArrayList<>();
              long[] bytes = {0};
              return items(metadata, prefix)
                  .filter(item -> !writer.isExpired(metadata, item))
                  .doOnNext(
                      item -> {
                        String id = item.document().path("id").asText();
                        deletes.add(new BatchOperation.Delete(id, WriteOptions.DEFAULT));
                        bytes[0] += item.size();
                      })
                  .takeUntil(
                      item ->
                          deletes.size() > TransactionalBatch.MAX_OPERATIONS
                              || bytes[0] > BatchPlan.MAX_STORED)
                  .then(Mono.fromSupplier(() -> new TransactionalBatch(partition, deletes)));
            })
        .flatMap(
            batch ->
                batch.operations().isEmpty()
                    ? Mono.just(counter.progress())
                    : execute.apply(batch).map(this::progress))
        .retryWhen(ItemOperations.WHEN_OVERLOADED)
        .retryWhen(WHEN_DELETED)
        .onErrorComplete(
            e ->
                KvError.is(e, DocumentErrorCode.LIMIT_EXCEEDED)
                    || KvError.is(e, DocumentErrorCode.ITEM_NOT_FOUND));
  }

  private DeleteProgress progress(BatchResult<ObjectNode> result) {
    var unused = counter.deleted(result.results().size(), result.versionstamp());
    return counter.progress();
  }

  /** Emits the versionstamp of the commit; empty if the item does not exist any more. */
  private Mono<Versionstamp> delete(ObjectNode item) {
    return writer
        .remove(metadata -> ItemIdentity.of(item, metadata), (identity, old) -> {})
        .retryWhen(ItemOperations.WHEN_OVERLOADED);
  }

  private Flux<StoredItem> items(CollectionMetadata metadata, PartitionPrefix prefix) {
    return Flux.concat(
            writer.engine.pages(prefix.ids(PAGE), null),
            writer.engine.pages(prefix.longIds(PAGE), null))
        .publishOn(writer.worker, 1)
        .concatMap(page -> items(metadata, page), 1)
        .filter(item -> prefix.contains(item.document()));
  }

  private Flux<StoredItem> items(CollectionMetadata metadata, RangePage ids) {
    List<ReadRange> items =
        ids.entries().stream()
            .map(id -> ReadRange.point(metadata.keys().item(ItemReader.docId(id))))
            .toList();
    return ItemReader.pages(writer.engine, writer.worker, items, null)
        .concatMapIterable(RangePage::entries, 1) // few items wait in memory
        .map(StoredItem::decode);
  }
}
