package io.kvreactive.index.internal.collection;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.PartitionKey;
import io.kvreactive.index.internal.store.CollectionMetadata;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Deletes the items of one partition key, each in its own commit, some of them at a time. */
final class PartitionDeletion {
  private static final int PAGE = 256;
  private static final int CONCURRENCY = 32;

  private final KvEngine engine;
  private final Scheduler worker;
  private final CollectionMetadataCache metadataCache;
  private final Function<ObjectNode, Mono<Versionstamp>> delete;

  /**
   * Creates a deletion.
   *
   * @param delete deletes the item of a document; completes empty if it does not exist any more
   */
  PartitionDeletion(
      KvEngine engine,
      Scheduler worker,
      CollectionMetadataCache metadataCache,
      Function<ObjectNode, Mono<Versionstamp>> delete) {
    this.engine = engine;
    this.worker = worker;
    this.metadataCache = metadataCache;
    this.delete = delete;
  }

  /** Deletes the items and emits their number. */
  Mono<Long> run(PartitionKey partition) {
    return metadataCache
        .refresh()
        .flatMapMany(
            metadata -> {
              PartitionPrefix prefix = new PartitionPrefix(partition, metadata);
              return Flux.concat(
                  deleted(metadata, prefix, prefix.ids(PAGE)),
                  deleted(metadata, prefix, prefix.longIds(PAGE)));
            })
        .count();
  }

  private Flux<Versionstamp> deleted(
      CollectionMetadata metadata, PartitionPrefix prefix, ReadRange ids) {
    return RangePager.pages(engine, worker, null, ids)
        .concatMap(page -> items(metadata, page), 1)
        .filter(prefix::contains)
        .flatMap(delete, CONCURRENCY, 1);
  }

  private Flux<ObjectNode> items(CollectionMetadata metadata, RangePage ids) {
    List<ReadRange> items =
        ids.entries().stream().map(id -> ReadRange.point(metadata.keys().item(docId(id)))).toList();
    int[] read = {0};
    return Flux.defer(
            () ->
                read[0] == items.size()
                    ? Flux.<RangePage>empty()
                    : engine
                        .read(items.subList(read[0], items.size()), null)
                        .publishOn(worker)
                        .flatMapIterable(result -> result.pages()))
        .doOnNext(page -> read[0]++)
        .repeat(() -> read[0] < items.size())
        .flatMapIterable(RangePage::entries, 1) // no second read before the items of the first
        .map(entry -> ItemReader.item(entry).document());
  }

  private static long docId(StoredEntry id) {
    return ByteBuffer.wrap(Objects.requireNonNull(id.value()).bytes()).getLong();
  }
}
