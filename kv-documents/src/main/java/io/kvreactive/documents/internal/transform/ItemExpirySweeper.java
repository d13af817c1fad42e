package io.kvreactive.documents.internal.transform;

import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.internal.collection.FoundItem;
import io.kvreactive.documents.internal.collection.ItemCommit;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.StoredItem;
import io.kvreactive.documents.internal.worker.WorkerThread;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Removes expired items. Readers do not see expired items: the sweep frees space, and change feeds
 * emit the expiry.
 */
public final class ItemExpirySweeper {
  private static final int MAX_ITEMS = 100;

  /**
   * Maximum number of items per commit if indexes may lag: the indexed form of each item is read
   * too, and may be as large.
   */
  private static final int MAX_LAGGING = 20;

  private static final long NEVER = Long.MAX_VALUE;

  private final KvEngine engine;
  private final Scheduler worker;
  private final DocumentStoreOptions options;

  public ItemExpirySweeper(KvEngine engine, Scheduler worker, DocumentStoreOptions options) {
    this.engine = engine;
    this.worker = worker;
    this.options = options;
  }

  private long now() {
    return options.clock().instant().getEpochSecond();
  }

  /** Removes all items that have expired by now. Error: {@link IndexWork.Stale}. */
  Mono<Void> all(CollectionMetadata metadata) {
    return metadata.expiryKnown() ? due(metadata) : walk(metadata);
  }

  private Mono<Void> due(CollectionMetadata metadata) {
    return some(metadata).repeat().takeUntil(removed -> removed < limit(metadata)).then();
  }

  /** Removes some expired items, and emits the number of expiry keys found. */
  public Mono<Integer> some(CollectionMetadata metadata) {
    List<ReadRange> ranges = metadata.due(now(), limit(metadata));
    if (ranges.isEmpty()) {
      return Mono.just(0);
    }
    return engine
        .read(ranges, null)
        .flatMap(
            read -> {
              Set<Long> docIds = new LinkedHashSet<>();
              for (RangePage page : read.pages()) {
                for (StoredEntry entry : page.entries()) {
                  if (docIds.size() < limit(metadata)) {
                    docIds.add(metadata.keys().docIdOfExpiry(entry.key()));
                  }
                }
              }
              return docIds.isEmpty() ? Mono.just(0) : remove(metadata, docIds);
            });
  }

  /** Returns the maximum number of items to remove in one commit. */
  int limit(CollectionMetadata metadata) {
    int checks = engine.limits().maxChecks() - 2;
    return metadata.mayLag()
        ? Math.min(MAX_LAGGING, Math.max(1, checks / 2))
        : Math.min(MAX_ITEMS, checks);
  }

  private Mono<Integer> remove(CollectionMetadata metadata, Set<Long> docIds) {
    List<ReadRange> items =
        docIds.stream().map(docId -> ReadRange.point(metadata.keys().item(docId))).toList();
    int[] done = {0};
    return Mono.defer(() -> engine.read(items.subList(done[0], items.size()), null))
        .publishOn(worker)
        .flatMap(
            read -> {
              done[0] += read.pages().size();
              List<StoredEntry> found = new ArrayList<>();
              read.pages().forEach(page -> found.addAll(page.entries()));
              return job(metadata).run(found, page -> removal(metadata, page.entries()));
            })
        .repeat(() -> done[0] < items.size()) // a read may leave some items out if items are large
        .then(Mono.just(items.size()));
  }

  /** Creates a job that removes items without pauses. */
  private RangeJob job(CollectionMetadata metadata) {
    int limit = limit(metadata);
    AdaptiveThrottle unthrottled = new AdaptiveThrottle(new LongAdder(), limit, limit);
    return new RangeJob(engine, worker, unthrottled, () -> false);
  }

  /** Prepares the removal of the expired ones of the given items in one commit. */
  private RangeJob.Chunk removal(CollectionMetadata metadata, List<StoredEntry> items) {
    List<FoundItem> expired = new ArrayList<>();
    for (StoredEntry entry : items) {
      StoredItem item = StoredItem.decode(entry);
      if (item.expired(metadata.defaultTtl(), now())) {
        expired.add(new FoundItem(metadata.keys().docIdOfItem(entry.key()), item, null));
      }
    }
    List<FoundItem> found =
        metadata.mayLag() && !expired.isEmpty() ? withPending(metadata, expired) : expired;
    return new RangeJob.Chunk(
        items.size(), found.size(), Mono.defer(() -> removeAll(metadata, found)));
  }

  /** Reads the pending indexing of the given items. */
  private List<FoundItem> withPending(CollectionMetadata metadata, List<FoundItem> items) {
    List<ReadRange> pending =
        items.stream().map(item -> ReadRange.point(metadata.keys().pending(item.docId()))).toList();
    return WorkerThread.await(
        engine
            .readAll(pending, null)
            .concatMapIterable(ReadResult::pages, 1)
            .zipWithIterable(items, (page, item) -> item.withPending(page))
            .collectList());
  }

  /** Removes items, without those that were written again. Error: LIMIT_EXCEEDED. */
  private Mono<Void> removeAll(CollectionMetadata metadata, List<FoundItem> expired) {
    if (expired.isEmpty()) {
      return Mono.empty();
    }
    ItemCommit changes = new ItemCommit(metadata, engine.limits());
    expired.forEach(changes::expire);
    Commit commit = changes.build();
    return engine
        .commit(commit)
        .flatMap(
            result -> {
              if (result.committed()) {
                return Mono.<Void>empty();
              }
              if (result.failedChecks().contains(0)) {
                return Mono.<Void>error(new IndexWork.Stale());
              }
              Set<ByteBuffer> changed = new HashSet<>();
              result
                  .failedChecks()
                  .forEach(check -> changed.add(ByteBuffer.wrap(commit.checks().get(check).key())));
              return removeAll(
                  metadata,
                  expired.stream().filter(item -> !isChanged(metadata, item, changed)).toList());
            });
  }

  private static boolean isChanged(
      CollectionMetadata metadata, FoundItem item, Set<ByteBuffer> changed) {
    return changed.contains(ByteBuffer.wrap(metadata.keys().item(item.docId())))
        || changed.contains(ByteBuffer.wrap(metadata.keys().pending(item.docId())));
  }

  /** Checks every item, because some expired items may lack an expiry entry. */
  private Mono<Void> walk(CollectionMetadata metadata) {
    ReadRange all =
        new ReadRange(metadata.keys().itemsStart(), metadata.keys().itemsEnd(), 1, false, false);
    return job(metadata).run(all, page -> removal(metadata, page.entries()));
  }

  /** Emits the second at which the next item expires. Completes empty if no item expires. */
  Mono<Long> next(CollectionMetadata metadata) {
    Integer ttl = metadata.defaultTtl();
    if (ttl == null) {
      return Mono.empty();
    }
    return engine
        .read(metadata.due(NEVER - 2 - Math.max(0, ttl), 1), null)
        .flatMap(
            read -> {
              long next = NEVER;
              for (int i = 0; i < read.pages().size(); i++) {
                for (StoredEntry entry : read.pages().get(i).entries()) {
                  long second = metadata.keys().secondOfExpiry(entry.key());
                  next = Math.min(next, i == 0 ? second : second + ttl);
                }
              }
              return next == NEVER ? Mono.empty() : Mono.just(next);
            });
  }
}
